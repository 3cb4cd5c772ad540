import type { JsonValue } from '@mintmark/storage-interface'
import type { ResolvedFilter } from '@mintmark/storage-interface/stores'

import { refusal } from '../error/scim-error.ts'
import { findAttribute, findSchema } from '../schema/find-attribute.ts'
import type { Attribute, Schema } from '../schema/schema.ts'
import type { ParseContext } from '../tolerance/tolerances.ts'
import { type Member, membersByName } from '../values/json-body.ts'
import { isArray, isObject } from '../values/json.ts'
import type { PatchOperation } from './parse-patch.ts'
import { type AttributeTarget, type PatchTarget, resolvePath } from './patch-path.ts'

type Op = Assignment['op']

/**
 * Splits an operation into assignments: one for a path, or one for each key of a value without a path (RFC 7644 §3.5.2.1,
 * §3.5.2.3). The URN of an extension is a key whose value is an object.
 */
export function toAssignments(operation: PatchOperation, context: ParseContext): readonly Assignment[] {
  const { op, path, value } = operation
  if (path !== undefined) return toTarget(op, resolvePath(path, context), { value, context })
  // RFC 7644 §3.5.2.1: without a path the value is a set of attributes.
  if (!isObject(value)) throw refusal('value_type')
  return [...membersByName(value)].flatMap(([key, member]) => toKey(op, { key, ...member }, context))
}

interface Given {
  readonly value: JsonValue | undefined
  readonly context: ParseContext
}

function toTarget(op: Op, target: PatchTarget, { value, context }: Given): readonly Assignment[] {
  if (target.kind === 'attribute') return [{ op, target, value }]
  return toSchema(op, target.schema, { value, context })
}

/** An assignment for each given attribute of a schema, or for all of them when the schema is removed. */
function toSchema(op: Op, schema: Schema, { value, context }: Given): readonly Assignment[] {
  const extension = schema === context.resourceType.schema ? undefined : schema.id
  const assign = (attribute: Attribute, given: JsonValue | undefined): Assignment => ({
    op,
    target: { kind: 'attribute', extension, attribute, where: undefined, subAttribute: undefined },
    value: given,
  })
  if (op === 'remove') {
    return schema.attributes
      .filter(({ mutability }) => mutability !== 'readOnly')
      .map((attribute) => assign(attribute, undefined))
  }
  // RFC 7643 §3.3: the attributes of an extension are the members of an object.
  if (!isObject(value)) throw refusal('value_type', { attribute: schema.id })
  return [...membersByName(value)].flatMap(([key, member]) => {
    const attribute = schema.attributesByName.get(key)
    return attribute === undefined ? unknownKey(context) : [assign(attribute, member.value)]
  })
}

function toKey(
  op: Op,
  { key, name, value }: Member & { readonly key: string },
  context: ParseContext,
): readonly Assignment[] {
  // RFC 7643 §3: `schemas` is computed from the resource, but identity providers send it.
  if (key === 'schemas') return []
  const found = findAttribute({ urn: undefined, name, subName: undefined }, context)
  if (found !== undefined) return [{ op, target: { kind: 'attribute', ...found, where: undefined }, value }]
  const schema = findSchema(name, context)
  if (schema !== undefined) return toSchema(op, schema, { value, context })
  if (!looksLikePath.test(name) || !context.tolerances.admits('paths-as-keys')) return unknownKey(context)
  return toTarget(op, resolvePath(name, context), { value, context })
}

function unknownKey({ tolerances }: ParseContext): readonly Assignment[] {
  // RFC 7644 §3.12 invalidSyntax: no schema of this type defines it.
  if (!tolerances.admits('unknown-attributes')) throw refusal('attribute_unknown')
  return []
}

/** A sub-attribute, a URN or a value filter. */
const looksLikePath = /[.:[]/

/**
 * Merges adjacent assignments that add to the same list, or remove from it by a filter. When a thousand operations each add a
 * member to a group, its members are then read once instead of a thousand times.
 */
export function mergeAssignments(assignments: readonly Assignment[]): readonly Assignment[] {
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
  return [
    { ...first, target: { ...target, where: { filter: { kind: 'or', operands }, describedElement: () => undefined } } },
  ]
}

/** Adjacent equalities are evaluated with one look-up. */
const operandsOf = (filter: ResolvedFilter | undefined): readonly ResolvedFilter[] =>
  filter === undefined ? [] : filter.kind === 'or' ? filter.operands : [filter]

/** Only lists without a `primary` sub-attribute. */
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

/** One effect of an operation: it sets or removes an attribute. */
export interface Assignment {
  readonly op: 'add' | 'remove' | 'replace'
  readonly target: AttributeTarget
  /** For a remove, the values to remove, if it lists any. */
  readonly value: JsonValue | undefined
}
