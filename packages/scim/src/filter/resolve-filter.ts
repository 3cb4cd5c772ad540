import type { ResolvedFilter } from '@mintmark/storage-interface'
import type { FilterAttribute } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import {
  attributeLabel,
  type AttributeName,
  findAttribute,
  type ResolvedAttribute,
  printAttributeName,
  suggestAttribute,
} from '../schema/find-attribute.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { createToleranceCounter, type ToleranceCounter } from '../tolerance/tolerances.ts'
import type { CompareNode, FilterNode, PresentNode, ValuePathNode } from './filter-node.ts'
import { resolveComparison } from './resolve-comparison.ts'
import { nameKey } from '../values/text.ts'

/**
 * Resolves the attribute names and value types of a filter against a resource type (RFC 7644 §3.4.2.2).
 * @throws ScimError invalidFilter — reasons `filter_attribute_unknown`, `filter_attribute_secret`, `filter_operator`,
 * `filter_value_type`. An unknown attribute is an error. With an empty result instead, the identity provider would
 * create the user a second time.
 */
export function resolveFilter(
  node: FilterNode,
  resourceType: ResourceType,
  tolerances: ToleranceCounter = createToleranceCounter(new Set()),
): ResolvedFilter {
  return freezeFilter(resolve(node, (leaf) => resolveInResource(leaf, resourceType, tolerances)))
}

/** Resolves the filter of a value path against its complex multi-valued attribute. */
export function resolveValueFilter(
  node: FilterNode,
  attribute: Attribute,
  tolerances: ToleranceCounter,
): ResolvedFilter {
  return freezeFilter(resolve(node, (leaf) => resolveInValue(leaf, attribute, tolerances)))
}

type Leaf = PresentNode | CompareNode | ValuePathNode

function resolve(node: FilterNode, resolveLeaf: (leaf: Leaf) => ResolvedFilter): ResolvedFilter {
  switch (node.kind) {
    case 'or':
    case 'and':
      return { kind: node.kind, operands: node.operands.map((operand) => resolve(operand, resolveLeaf)) }
    case 'not':
      return { kind: 'not', operand: resolve(node.operand, resolveLeaf) }
    case 'valuePath':
    case 'present':
    case 'compare':
      return resolveLeaf(node)
    default:
      return node satisfies never
  }
}

function resolveInResource(leaf: Leaf, resourceType: ResourceType, tolerances: ToleranceCounter): ResolvedFilter {
  const found = findAttribute(leaf.attribute, { resourceType, tolerances })
  // RFC 7644 §3.4.2.2: an attribute that does not exist makes the filter invalid.
  if (found === undefined) throw unknownAttribute(leaf.attribute, resourceType)
  refuseSecret(found)
  if (leaf.kind === 'valuePath') return resolveValuePath(leaf, found, tolerances)
  return resolveTest(leaf, found, tolerances)
}

/** Resolves a value path, which matches when one value of the attribute satisfies the whole filter. */
function resolveValuePath(node: ValuePathNode, found: ResolvedAttribute, tolerances: ToleranceCounter): ResolvedFilter {
  const { attribute, subAttribute } = found
  // RFC 7644 §3.4.2.2, "[ ]": only for complex multi-valued attributes.
  if (!isComplexList(attribute) || subAttribute !== undefined)
    throw refuse('filter_operator', { attribute: attributeLabel(found) })
  const filters = node.test === undefined ? [node.filter] : [node.filter, node.test]
  const resolved = filters.map((filter) => resolve(filter, (leaf) => resolveInValue(leaf, attribute, tolerances)))
  const [where] = resolved
  if (where === undefined || resolved.length > 1) return elementOf(found, { kind: 'and', operands: resolved })
  return elementOf(found, where)
}

function resolveTest(
  node: PresentNode | CompareNode,
  found: ResolvedAttribute,
  tolerances: ToleranceCounter,
): ResolvedFilter {
  const { attribute, subAttribute } = found
  if (isComplexList(attribute) && (subAttribute !== undefined || node.kind === 'compare')) {
    return resolveAnyValue(node, found, tolerances)
  }
  if (node.kind === 'present') return { kind: 'present', attribute: targetOf(found) }
  if (attribute.type !== 'complex' || subAttribute !== undefined) {
    return resolveComparison(node, {
      target: targetOf(found),
      attribute: subAttribute ?? attribute,
      label: attributeLabel(found),
      tolerances,
    })
  }
  const value = attribute.subAttributesByName.get('value')
  // RFC 7644 §3.4.2.2: a complex attribute cannot be compared. Entra compares manager and means manager.value.
  if (value === undefined || !tolerances.admits('complex-means-value'))
    throw refuse('filter_operator', { attribute: attributeLabel(found) })
  const withValue = { ...found, subAttribute: value }
  return resolveComparison(node, {
    target: targetOf(withValue),
    attribute: value,
    label: attributeLabel(withValue),
    tolerances,
  })
}

/**
 * Resolves a test of any value: `emails.type` tests the type of each value; `emails` alone means `emails.value` (RFC
 * 7644 §3.4.2.2).
 */
function resolveAnyValue(
  node: PresentNode | CompareNode,
  found: ResolvedAttribute,
  tolerances: ToleranceCounter,
): ResolvedFilter {
  const sub = found.subAttribute ?? found.attribute.subAttributesByName.get('value')
  // RFC 7644 §3.4.2.2: there is no value to compare with.
  if (sub === undefined) throw refuse('filter_operator', { attribute: attributeLabel(found) })
  const target = targetInValue(sub)
  const label = attributeLabel({ ...found, subAttribute: sub })
  if (node.kind === 'present') return elementOf(found, { kind: 'present', attribute: target })

  const element = elementOf(found, resolveComparison(node, { target, attribute: sub, label, tolerances }))
  const none = {
    kind: 'not',
    operand: { kind: 'present', attribute: targetOf({ ...found, subAttribute: undefined }) },
  } as const
  // RFC 7643 §2.5: an attribute without values equals null, and null differs from every value.
  if (node.value.kind === 'null') return node.operator === 'eq' ? { kind: 'or', operands: [none, element] } : element
  return node.operator === 'ne' ? { kind: 'or', operands: [none, element] } : element
}

function resolveInValue(leaf: Leaf, parent: Attribute, tolerances: ToleranceCounter): ResolvedFilter {
  const { urn, name, subName } = leaf.attribute
  const attribute =
    urn === undefined && subName === undefined ? parent.subAttributesByName.get(nameKey(name)) : undefined
  // RFC 7644 §3.4.2.2: names inside the brackets are sub-attributes of the attribute before them.
  if (attribute === undefined || leaf.kind === 'valuePath')
    throw refuse('filter_attribute_unknown', { attribute: parent.name, value: printAttributeName(leaf.attribute) })
  refuseSecret({ extension: undefined, attribute, subAttribute: undefined })
  const target = targetInValue(attribute)
  return leaf.kind === 'present'
    ? { kind: 'present', attribute: target }
    : resolveComparison(leaf, { target, attribute, label: `${parent.name}.${attribute.name}`, tolerances })
}

function refuseSecret(found: ResolvedAttribute): void {
  const { attribute, subAttribute } = found
  // RFC 7643 §7 returned "never": filtering by the attribute would reveal its value.
  if (attribute.returned === 'never' || subAttribute?.returned === 'never') {
    throw refuse('filter_attribute_secret', { attribute: attributeLabel(found) })
  }
}

function unknownAttribute(name: AttributeName, resourceType: ResourceType): Error {
  return refuse('filter_attribute_unknown', {
    value: printAttributeName(name),
    suggestion: suggestAttribute(name, resourceType),
  })
}

const isComplexList = ({ type, multiValued }: Attribute): boolean => type === 'complex' && multiValued

const elementOf = (found: ResolvedAttribute, where: ResolvedFilter): ResolvedFilter => ({
  kind: 'element',
  attribute: targetOf({ ...found, subAttribute: undefined }),
  where,
})

/** Returns the attribute as storage names it. */
export const targetOf = ({ extension, attribute, subAttribute }: ResolvedAttribute): FilterAttribute => ({
  extension,
  name: attribute.name,
  subName: subAttribute?.name,
  multiValued: attribute.multiValued || subAttribute?.multiValued === true,
})

const targetInValue = ({ name, multiValued }: Attribute): FilterAttribute => ({
  extension: undefined,
  name,
  subName: undefined,
  multiValued,
})

/** Freezes a filter deeply. */
function freezeFilter(filter: ResolvedFilter): ResolvedFilter {
  switch (filter.kind) {
    case 'or':
    case 'and':
      return Object.freeze({ ...filter, operands: Object.freeze(filter.operands.map(freezeFilter)) })
    case 'not':
      return Object.freeze({ ...filter, operand: freezeFilter(filter.operand) })
    case 'element':
      return Object.freeze({ ...filter, attribute: Object.freeze(filter.attribute), where: freezeFilter(filter.where) })
    default:
      return Object.freeze({ ...filter, attribute: Object.freeze(filter.attribute) })
  }
}
