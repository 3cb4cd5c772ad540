import fc from 'fast-check'
import type { FilterNode, CompareNode, FilterLiteral } from '../../src/filter/filter-node.ts'

/** Generates any filter of the grammar (RFC 7644 §3.4.2.2) within the limits of the parser. Its attributes need not exist. */
export function aFilterNode(): fc.Arbitrary<FilterNode> {
  const name = fc
    .stringMatching(/^[A-Za-z][A-Za-z0-9$_-]{0,8}$/)
    .filter((text) => !['and', 'or', 'not'].includes(text.toLowerCase()))
  const urn = fc.option(fc.constantFrom('urn:example:a:2.0:User', 'urn:x-y:B.c_d'), { nil: undefined, freq: 4 })
  const subName = fc.option(fc.oneof(name, fc.constant('$ref')), { nil: undefined })
  const attribute = fc.record({ urn, name, subName })
  const present = fc.record({ kind: fc.constant('present' as const), attribute })
  const compare = fc.record({
    kind: fc.constant('compare' as const),
    attribute,
    operator: anOperator(),
    value: aLiteral(),
  })
  const test = fc.oneof(present, compare)
  const valuePath = fc.record({
    kind: fc.constant('valuePath' as const),
    attribute,
    filter: nestedOf(test, 2),
    test: fc.constant(undefined),
  })
  return nestedOf(fc.oneof(test, valuePath), 3)
}

/** Generates a comparison operator. */
export const anOperator = (): fc.Arbitrary<CompareNode['operator']> =>
  fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le')

/** Generates strings of filter pieces in any order. Most are similar to a filter, but invalid. */
export const aNearlyValidFilter = (): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          'userName',
          'emails',
          'eq',
          'pr',
          'and',
          'or',
          'not',
          '(',
          ')',
          '[',
          ']',
          ' ',
          '  ',
          '.value',
          '"x"',
          '"',
          '\\',
        ),
        fc.constantFrom(
          'true',
          'null',
          '-1',
          '1e5',
          '__proto__',
          'constructor',
          'urn:a:b:',
          'type eq "work"',
          '\0',
          '\ud800',
          '😀',
          '\n',
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
      { maxLength: 60 },
    )
    .map((pieces) => pieces.join(''))

function nestedOf(leaf: fc.Arbitrary<FilterNode>, depth: number): fc.Arbitrary<FilterNode> {
  if (depth === 0) return leaf
  const inner = nestedOf(leaf, depth - 1)
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        operands: fc.array(inner, { minLength: 2, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('not' as const), operand: inner }) },
  )
}

function aLiteral(): fc.Arbitrary<FilterLiteral> {
  return fc.oneof(
    fc.record({ kind: fc.constant('text' as const), value: aStringOperand() }),
    fc.record({
      kind: fc.constant('number' as const),
      text: fc.oneof(fc.integer().map(String), fc.constantFrom('-0', '1.50', '2E+3', '0.0e-1')),
    }),
    fc.record({ kind: fc.constant('boolean' as const), value: fc.boolean() }),
    fc.constant({ kind: 'null' as const }),
  )
}

/** Generates any string value that a filter can contain. */
const aStringOperand = (): fc.Arbitrary<string> =>
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0'))
