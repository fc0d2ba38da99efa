package fields

import (
	"fmt"
	"slices"
)

// names are values of fields by type and name, so that a sample looks like an object that someone would write.
var names = map[family]map[string]any{
	text: {
		"cronSpec": "* * * * */5", "schedule": "*/5 * * * *", "image": "nginx:1.29", "ip": "127.0.0.1",
		"host": "example.com", "url": "https://example.com",
	},
	number:      {"port": int64(8080), "replicas": int64(2)},
	quantity:    {"memory": "128Mi", "storage": "1Gi", "size": "1Gi", "cpu": "500m"},
	intOrString: {"port": int64(8080), "targetPort": int64(8080)},
}

// plain are values of the types that have no rules.
var plain = map[family]any{
	text: "example", boolean: true, number: int64(1), duration: "30s", quantity: "1", intOrString: "25%",
	anything: entries{{"example", "value"}},
}

// sample makes a value of the field that its rules allow.
func (f *Field) sample() (any, error) {
	switch {
	case f.rules.example != nil:
		return f.rules.example, nil
	case f.rules.defaults != nil:
		return f.rules.defaults, nil
	case f.typ.list():
		return f.samples(f.rules.bound("minItems", 0), f.rules.bound("maxItems", 1))
	case f.typ.dict():
		out := entries{}
		n := min(max(1, f.rules.bound("minProperties", 0)), f.rules.bound("maxProperties", 1<<30))
		if n > maxSampleItems {
			return nil, tooMany(n)
		}
		for i := range n {
			v, err := f.one(0)
			if err != nil {
				return nil, err
			}
			key := "example"
			if i > 0 {
				key = fmt.Sprintf("example-%d", i+1)
			}
			out = append(out, entry{key, v})
		}
		return out, nil
	}
	return f.one(0)
}

// maxSampleItems is how long a list may get in a sample that someone should read.
const maxSampleItems = 100

func tooMany(n int64) error {
	return fmt.Errorf("a sample with %d items would be too long; add example=…, or allow fewer", n)
}

// samples makes a list of as many items as there must be, at least one if there may be.
func (f *Field) samples(low, high int64) (any, error) {
	n := min(max(1, low), max(high, low))
	if n > maxSampleItems {
		return nil, tooMany(n)
	}
	list := []any{}
	seen := map[string]bool{}
	for try := 0; int64(len(list)) < n; try++ {
		if try > 2*maxSampleItems {
			return nil, fmt.Errorf("no %d different items were found for the sample; add example=[…], or correct minItems", n)
		}
		v, err := f.one(try)
		if err != nil && len(list) == 0 {
			return nil, err
		}
		if key := f.itemKey(v); err != nil || seen[key] && key != "" {
			continue
		} else {
			seen[key] = true
		}
		list = append(list, v)
	}
	return list, nil
}

// one makes a value of the type without its list or map. Others come out with another number.
func (f *Field) one(number int) (any, error) {
	switch f.typ.family {
	case structure:
		out := entries{}
		for _, child := range f.object.fields {
			v, err := child.sample()
			if err == nil && number > 0 && slices.Contains(f.rules.listMapKeys, child.name) {
				v, err = child.one(number)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", child.name, err)
			}
			out = append(out, entry{child.name, v})
		}
		return out, nil
	case foreign:
		return f.foreignSample(number), nil
	}
	v := f.guess(number)
	if f.typ.single() {
		if err := f.checkRules(v); err != nil {
			return nil, fmt.Errorf("no value was found for the sample that keeps the rules; add example=… (%w)", err)
		}
	}
	return v, nil
}
