import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isObject } from '../json/json-object.ts'
import { membersByName, type Member } from '../json/members-by-name.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { Schema } from '../schema/define-schema.ts'
import { findAttribute } from '../schema/find-attribute.ts'
import { findSchema } from '../schema/find-schema.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import type { Assignment } from './assignment.ts'
import type { PatchOperation } from './patch-operation.ts'
import type { PatchTarget } from './patch-target.ts'
import { resolvePath } from './resolve-path.ts'

type Op = Assignment['op']

/**
 * What an operation does, attribute by attribute: one for a path, one for each key of a value without a path
 * (RFC 7644 §3.5.2.1, §3.5.2.3), where an extension's URN holds an object of its own.
 */
export function assignmentsOf(operation: PatchOperation, reading: ParseContext): readonly Assignment[] {
  const { op, path, value } = operation
  if (path !== undefined) return toTarget(op, resolvePath(path, reading), { value, reading })
  // RFC 7644 §3.5.2.1: without a path the value is a set of attributes.
  if (!isObject(value)) throw refusal('value_type')
  return [...membersByName(value)].flatMap(([key, member]) => toKey(op, { key, ...member }, reading))
}

interface Given {
  readonly value: JsonValue | undefined
  readonly reading: ParseContext
}

function toTarget(op: Op, target: PatchTarget, { value, reading }: Given): readonly Assignment[] {
  if (target.kind === 'attribute') return [{ op, target, value }]
  return toSchema(op, target.schema, { value, reading })
}

/** Every attribute of a schema that is named, or all of them when the schema is removed. */
function toSchema(op: Op, schema: Schema, { value, reading }: Given): readonly Assignment[] {
  const extension = schema === reading.resourceType.schema ? undefined : schema.id
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
  // RFC 7643 §3.3: an extension's attributes stand in an object.
  if (!isObject(value)) throw refusal('value_type', { attribute: schema.id })
  return [...membersByName(value)].flatMap(([key, member]) => {
    const attribute = schema.attributesByName.get(key)
    return attribute === undefined ? unknownKey(reading) : [assign(attribute, member.value)]
  })
}

function toKey(
  op: Op,
  { key, name, value }: Member & { readonly key: string },
  reading: ParseContext,
): readonly Assignment[] {
  // RFC 7643 §3: computed from what the resource holds; identity providers send it along.
  if (key === 'schemas') return []
  const found = findAttribute({ urn: undefined, name, subName: undefined }, reading)
  if (found !== undefined) return [{ op, target: { kind: 'attribute', ...found, where: undefined }, value }]
  const schema = findSchema(name, reading)
  if (schema !== undefined) return toSchema(op, schema, { value, reading })
  if (!looksLikePath.test(name) || !reading.tolerances.admits('paths-as-keys')) return unknownKey(reading)
  return toTarget(op, resolvePath(name, reading), { value, reading })
}

function unknownKey({ tolerances: tally }: ParseContext): readonly Assignment[] {
  // RFC 7644 §3.12 invalidSyntax: no schema of this type defines it.
  if (!tally.admits('unknown-attributes')) throw refusal('attribute_unknown')
  return []
}

/** A sub-attribute, a URN or a value filter. */
const looksLikePath = /[.:[]/
