import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { userResourceType } from '../src/index.ts'
import { resolveFilter } from '../src/filter/resolve-filter.ts'
import { printFilter } from '../src/filter/filter-node.ts'
import { parseFilter } from '../src/filter/parse-filter.ts'
import { allTolerances, createToleranceCounter } from '../src/tolerance/tolerances.ts'
import { aFilterNode, aNearlyValidFilter } from './arbitraries/filter-text.ts'
import {
  aStoredUser,
  aUserFilter,
  printPlain,
  type PlainFilter,
  type PlainType,
} from './arbitraries/user-and-filter.ts'
import { finder } from './fixtures/finder.ts'
import { countFunctionCalls, countFunctionCallsOfEach } from './fixtures/function-calls.ts'
import { outcomeOf } from './fixtures/outcome-of.ts'
import { expectPrototypesUntouched } from './fixtures/prototypes-untouched.ts'
import { rounds } from '../../../test/support/rounds.ts'

test('law: parsing a printed filter yields the same filter (parse ∘ print = id)', () => {
  fc.assert(
    fc.property(aFilterNode(), (node) => {
      expect(parseFilter(printFilter(node))).toEqual(node)
    }),
    { numRuns: rounds({ fast: 200, long: 1000 }) },
  )
})

test('law: a filter that is printed, parsed and printed again is the same string (print ∘ parse ∘ print = print)', () => {
  fc.assert(
    fc.property(aNearlyValidFilter(), (text) => {
      const outcome = outcomeOf(() => parseFilter(text, createToleranceCounter(allTolerances)))
      if ('refusal' in outcome) return

      const printed = printFilter(outcome.value)

      expect(printFilter(parseFilter(printed, createToleranceCounter(allTolerances)))).toBe(printed)
    }),
    { numRuns: rounds({ fast: 400, long: 2000 }) },
  )
})

test('law: any string is parsed or refused with 400 invalidFilter, and changes no prototype', () => {
  const read = (text: string) => {
    const tolerances = createToleranceCounter(allTolerances)
    return finder(text, userResourceType, tolerances)
  }

  expectPrototypesUntouched(() => {
    fc.assert(
      fc.property(fc.oneof(aNearlyValidFilter(), fc.string({ unit: 'binary' })), (text) => {
        const outcome = outcomeOf(() => read(text))
        if ('refusal' in outcome) {
          expect(outcome.refusal).toMatchObject({ status: 400, scimType: 'invalidFilter' })
          return
        }
        expect(typeof outcome.value({ userName: 'a', emails: [{ value: 'a' }] })).toBe('boolean')
      }),
      { numRuns: rounds({ fast: 600, long: 3000 }) },
    )
  })
})

test('law: a filter matches what a naive evaluator matches', () => {
  fc.assert(
    fc.property(aStoredUser(), aUserFilter(), (user, filter) => {
      const matches = finder(printPlain(filter))

      expect(matches(user)).toBe(evaluateNaively(filter, user))
    }),
    { numRuns: rounds({ fast: 500, long: 5000 }) },
  )
})

test('law: not (f) is the opposite of f, for every resource', () => {
  fc.assert(
    fc.property(aStoredUser(), aUserFilter(), (user, filter) => {
      const matches = (text: string) => finder(text)(user)

      expect(matches(`not (${printPlain(filter)})`)).toBe(!matches(printPlain(filter)))
    }),
  )
})

/** The most expensive filters of up to 16,384 characters, the limit: words, strings, parentheses, escapes, long tails. */
const hostileFilters: readonly (readonly [name: string, text: string])[] = [
  ['open parentheses', '('.repeat(16384)],
  ['nested nots', 'not('.repeat(1024)],
  ['spaces', ' '.repeat(16384)],
  ['quotes', '"'.repeat(16384)],
  ['escapes in a string', `a eq "${'\\'.repeat(4090)}`],
  ['one long word', 'a'.repeat(16384)],
  ['one long URN', 'urn:a'.repeat(819)],
  ['dots', `a${'.a'.repeat(2047)}`],
  ['a number that does not end', `a eq ${'1'.repeat(4091)}`],
  ['a number with dots', `a eq ${'1.'.repeat(2045)}`],
  ['a string without quotes', `a eq ${'é'.repeat(4091)}`],
  ['many ors', Array.from({ length: 600 }, () => 'a pr').join(' or ')],
  ['199 comparisons and a long value', `${'a pr or '.repeat(198)}a eq "${'x'.repeat(1000)}"`],
  ['closing brackets', `a[${']'.repeat(4094)}`],
]

/** The number of function calls of each filter. */
let costs: readonly number[] | undefined

test.each(hostileFilters.map(([name], index) => [name, index] as const))(
  'law: a filter of up to 16,384 characters costs fewer than 49,152 function calls: %s',
  (_, index) => {
    const tolerances = createToleranceCounter(allTolerances)
    costs ??= countFunctionCallsOfEach(
      hostileFilters.map(
        ([, text]) =>
          () =>
            outcomeOf(() => resolveFilter(parseFilter(text, tolerances), userResourceType, tolerances)),
      ),
    )

    expect(costs[index]).toBeGreaterThan(0)
    expect(costs[index]).toBeLessThan(3 * 16384)
  },
)

test('parses and evaluates a filter of 353 characters with 14 groups of two in fewer than 4,000 function calls', () => {
  const group = (index: number) => `(id eq "${index % 10}" or id pr)`
  const text = Array.from({ length: 14 }, (_, index) => group(index))
    .join(' and ')
    .padEnd(353)
  const work = () => finder(text)({ id: 'x' })

  expect(text).toHaveLength(353)
  expect(work()).toBe(true)
  expect(countFunctionCalls(work)).toBeLessThan(4000)
})

test('compares a string literally that would be slow as a regular expression', () => {
  const matches = finder('userName eq "(a+)+$"')

  expect(matches({ userName: 'a'.repeat(10_000) })).toBe(false)
  expect(matches({ userName: '(A+)+$' })).toBe(true)
  expect(countFunctionCalls(() => matches({ userName: 'a'.repeat(10_000) }))).toBeLessThan(200)
})

// The naive evaluator uses neither a schema nor the case folding of the library. Each line is one rule.

function evaluateNaively(filter: PlainFilter, owner: JsonObject): boolean {
  if ('and' in filter) return filter.and.every((operand) => evaluateNaively(operand, owner))
  if ('or' in filter) return filter.or.some((operand) => evaluateNaively(operand, owner))
  if ('not' in filter) return !evaluateNaively(filter.not, owner)
  if ('in' in filter)
    return elements(owner[filter.in]).some((element) => evaluateNaively(filter.where, element as JsonObject))
  const { path, operator, type, value } = filter
  const [first = '', second] = path
  const holders = second === undefined ? [owner] : elements(owner[first])
  const found = holders.map((holder) => (holder as JsonObject)[second ?? first])
  if (operator === 'pr' || value === null || value === undefined) {
    if (operator === 'ne' || operator === 'pr') return found.some(notEmpty)
    return found.length === 0 || !found.every(notEmpty)
  }
  // Values whose sub-attributes are all empty count as absent, as for pr.
  const isAbsent = Array.isArray(owner[first]) ? !holders.some(notEmpty) : found.every((one) => one === undefined)
  if (operator === 'ne') return isAbsent || found.some((one) => !compare('eq', [one, value], type))
  return found.some((one) => one !== undefined && compare(operator, [one, value], type))
}

const elements = (value: JsonValue | undefined): readonly JsonValue[] =>
  value === undefined ? [] : ((Array.isArray(value) ? value : [value]) as readonly JsonValue[])

function notEmpty(value: JsonValue | undefined): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some((part) => notEmpty(part))
  return value !== undefined && value !== null && value !== ''
}

function compare(operator: string, [one, other]: readonly (JsonValue | undefined)[], type: PlainType): boolean {
  const key = (value: JsonValue): string | number => {
    if (typeof value !== 'string') return JSON.stringify(value)
    if (type === 'instant') return Date.parse(value)
    return type === 'exact' ? value : value.normalize('NFKC').toLowerCase()
  }
  if (one === undefined || other === undefined) return false
  const [left, right] = [key(one), key(other)]
  const table: Readonly<Record<string, boolean>> = {
    eq: left === right,
    gt: left > right,
    ge: left >= right,
    lt: left < right,
    le: left <= right,
    co: String(left).includes(String(right)),
    sw: String(left).startsWith(String(right)),
    ew: String(left).endsWith(String(right)),
  }
  return table[operator] ?? false
}
