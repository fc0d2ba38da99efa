// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

// ofSprig are the functions of sprig that templates may use: those whose result depends on nothing but their arguments. It is a list of
// what is allowed, since the next sprig may have more that are not. Left out are the clock, dates (they depend on the time zone),
// chance, keys and certificates, the environment, the network, and keys and values, which sprig gives in the order of the map.
var ofSprig = strings.Fields(`
	until untilStep seq repeat indent nindent abbrev abbrevboth trunc trim upper lower title untitle substr trimall trimAll trimSuffix trimPrefix nospace initials swapcase
	snakecase camelcase kebabcase wrap wrapWith contains hasPrefix hasSuffix quote squote cat replace plural
	sha1sum sha256sum sha512sum adler32sum toString
	atoi int64 int float64 toDecimal split splitList splitn toStrings
	add1 add sub div mod mul add1f addf subf divf mulf biggest max min maxf minf ceil floor round join sortAlpha
	default empty coalesce all any compact mustCompact fromJson toJson toPrettyJson toRawJson mustFromJson mustToJson mustToPrettyJson
	mustToRawJson ternary deepCopy mustDeepCopy typeOf typeIs typeIsLike kindOf kindIs deepEqual
	base dir clean ext isAbs b64enc b64dec b32enc b32dec
	tuple list dict get set unset hasKey pluck pick omit merge mergeOverwrite mustMerge mustMergeOverwrite
	append push mustAppend mustPush prepend mustPrepend first mustFirst rest mustRest last mustLast initial mustInitial
	reverse mustReverse uniq mustUniq without mustWithout has mustHas slice mustSlice concat dig chunk mustChunk
	semver semverCompare fail regexMatch mustRegexMatch regexFindAll mustRegexFindAll regexFind mustRegexFind regexReplaceAll
	mustRegexReplaceAll regexReplaceAllLiteral mustRegexReplaceAllLiteral regexSplit mustRegexSplit regexQuoteMeta urlParse urlJoin`)

// functions are all but include, which depends on the rendering.
func functions() template.FuncMap {
	all := sprig.TxtFuncMap()
	some := template.FuncMap{
		"required": required, "toYaml": toYAML, "fromYaml": fromYAML,
		"keys": sortedKeys, "values": sortedValues, fnPrint: printed,
	}
	for _, name := range ofSprig {
		some[name] = acceptWhole(all[name])
	}
	return some
}

// required is Helm's: the value, or an error with the message if there is none.
func required(message string, value any) (any, error) {
	if value == nil || value == "" {
		return nil, errors.New(message)
	}
	return value, nil
}

func toYAML(value any) (string, error) {
	b, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(b), "\n"), err
}

func fromYAML(text string) (value any, err error) {
	err = unmarshalYAML([]byte(text), &value)
	return value, err
}

func sortedKeys(dicts ...map[string]any) []string {
	keys := []string{}
	for _, d := range dicts {
		keys = append(keys, slices.Sorted(maps.Keys(d))...)
	}
	return keys
}

func sortedValues(dict map[string]any) []any {
	values := []any{}
	for _, k := range sortedKeys(dict) {
		values = append(values, dict[k])
	}
	return values
}
