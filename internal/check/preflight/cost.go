// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"math"
	"math/bits"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// cost finds rules that cost too much. A rule is refused for what it may cost in all of an object, and fails for what it costs once.
func (c *compiler) cost(r celRule) {
	times := r.result.MaxCardinality // as often as the smallest of these fits into a request
	bounded := r.context.MaxCardinality != nil
	if bounded {
		times = *r.context.MaxCardinality
	}
	once, message := r.result.MaxCost, r.result.MessageExpressionMaxCost
	total := product(once, times)
	c.observe(r, total)
	c.observe(r, message)
	switch {
	case total > validation.StaticEstimatedCostLimit:
		often := ""
		if times > 1 {
			often = fmt.Sprintf(": %s for each of up to %s", amount(once), amount(times))
		}
		c.expensive(r, "cel-cost", "the rule %s may cost %s, %s what the API server allows%s", short(r.text().Rule), amount(total), share(total, validation.StaticEstimatedCostLimit), often)
	case message > validation.StaticEstimatedCostLimit:
		c.add(r, "cel-cost", "the messageExpression of the rule %s may cost %s, %s what the API server allows", short(r.text().Rule), amount(message), share(message, validation.StaticEstimatedCostLimit))
	case once > celconfig.PerCallLimit:
		// The estimate counts four bytes for each character that a string may have, and the evaluation one character.
		if once = c.evaluatedWith(r, nil, 0); once > celconfig.PerCallLimit {
			c.expensive(r, "cel-runtime", "the rule %s may cost %s, and is stopped at %s", short(r.text().Rule), amount(once), amount(celconfig.PerCallLimit))
		}
	}
}

// expensive adds a finding about the cost of a rule, with what is unbounded and the marker that bounds it.
func (c *compiler) expensive(r celRule, id, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	remedy := c.bound(r, id == "cel-cost")
	if remedy.what != "" {
		message += "; " + remedy.what
	}
	f := rule.New(id, ofRule(c.crd, c.version, r.path, r.index, r.text().Rule, 0), c.crd.Subject(c.version, r.path...), "%s", message)
	f.Fix = remedy.fix
	c.found = append(c.found, f)
}

// observe adds the cost of a rule to that of all. One that is refused has a finding of its own.
func (c *compiler) observe(r celRule, cost uint64) {
	if cost > validation.StaticEstimatedCostLimit {
		return
	}
	sum, carry := bits.Add64(c.total, cost, 0)
	if carry != 0 {
		sum = math.MaxUint64
	}
	c.total = sum
	if cost > c.highest {
		c.highest, c.most = cost, dottedOr(r.path, "the object")
	}
}

// budget finds that all rules together cost too much, where none does alone.
func (c *compiler) budget() {
	if c.total <= validation.StaticEstimatedCRDCostLimit {
		return
	}
	place := inSchema(c.crd, c.version, nil)
	if _, ok := c.crd.GoField(c.version, nil); ok {
		place = c.crd.At(c.version, nil)
	}
	c.found = append(c.found, rule.New("cel-cost", place, c.crd.Subject(c.version), "all rules together may cost %s, %s what the API server allows; the most expensive is at %s",
		amount(c.total), share(c.total, validation.StaticEstimatedCRDCostLimit), c.most))
}

func product(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// amount is a number as people read it.
func amount(n uint64) string {
	switch f := float64(n); {
	case f < 1e4:
		return fmt.Sprint(n)
	case f < 1e6:
		return fmt.Sprintf("%.0f thousand", f/1e3)
	case f < 1e9:
		return fmt.Sprintf("%.3g million", f/1e6)
	case f < 1e12:
		return fmt.Sprintf("%.3g billion", f/1e9)
	}
	return "more than a trillion"
}

// share is a cost as a part of its limit.
func share(cost, limit uint64) string {
	percent := float64(cost) / float64(limit) * 100
	if percent > 10000 {
		return "more than 100 times"
	}
	return fmt.Sprintf("%.0f %% of", math.Ceil(percent))
}
