import type { JsonValue, ResolvedFilter } from '@mintmark/storage-interface'

import { isArray } from '../json/json-object.ts'
import type { Assignment } from './assignment.ts'

/**
 * The same assignments, with neighbours joined that add to one list, or remove from it by a filter. A group of ten thousand
 * that a thousand join, one operation each, is then gone through once and not a thousand times.
 */
export function joinAssignments(assignments: readonly Assignment[]): readonly Assignment[] {
  const runs: { first: Assignment; run: Assignment[] }[] = []
  for (const assignment of assignments) {
    const last = runs.at(-1)
    if (last !== undefined && isNeighbour(last.first, assignment)) last.run.push(assignment)
    else runs.push({ first: assignment, run: [assignment] })
  }
  return runs.flatMap(({ first, run }) => join(first, run))
}

function join(first: Assignment, run: readonly Assignment[]): readonly Assignment[] {
  if (run.length === 1) return run
  const { target } = first
  if (first.op === 'add') {
    const values = run.flatMap(({ value }) => listOf(value))
    return values.length > target.attribute.maxValues ? run : [{ ...first, value: values }]
  }
  const operands = run.flatMap((assignment) => operandsOf(assignment.target.where?.filter))
  return [{ ...first, target: { ...target, where: { filter: { kind: 'or', operands }, seed: () => undefined } } }]
}

/** Equalities are looked up together where they stand side by side. */
const operandsOf = (filter: ResolvedFilter | undefined): readonly ResolvedFilter[] =>
  filter === undefined ? [] : filter.kind === 'or' ? filter.operands : [filter]

/** Only lists whose values do not compete to be the primary one. */
function isNeighbour(one: Assignment, other: Assignment): boolean {
  const { attribute, extension } = one.target
  if (one.op !== other.op || attribute !== other.target.attribute || extension !== other.target.extension) return false
  if (!attribute.multiValued || attribute.subAttributesByName.has('primary')) return false
  return [one, other].every(one.op === 'add' ? isPlainAdd : isPlainRemove)
}

const isPlainAdd = ({ op, target, value }: Assignment): boolean =>
  op === 'add' &&
  target.where === undefined &&
  target.subAttribute === undefined &&
  typeof value === 'object' &&
  value !== null

const isPlainRemove = ({ op, target, value }: Assignment): boolean =>
  op === 'remove' && target.where !== undefined && target.subAttribute === undefined && value === undefined

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isArray(value) ? value : [value ?? null])
