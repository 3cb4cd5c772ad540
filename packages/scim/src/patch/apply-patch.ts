import { type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonObject, JsonValue, ResolvedFilter } from '@mintmark/storage-interface'
import { comparisonsOf } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import { completeResource } from '../resource/resource.ts'
import { attributeLabel } from '../schema/find-attribute.ts'
import type { Attribute } from '../schema/schema.ts'
import type { AppliedTolerance, ToleranceCounter } from '../tolerance/tolerances.ts'
import type { MessageContext } from '../schema/parse-context.ts'
import type { PatchContext } from './parse-patch.ts'
import { createWorkBudget } from '../limits/work-budget.ts'
import { defaultLimits } from '../limits/scim-limits.ts'
import { keepImmutableParts } from '../resource/element-list.ts'
import { getMember, isArray, isObject, sameValue, sameValueInPieces, withMember } from '../values/json.ts'
import { buildComplexValue, isUnassigned } from '../resource/read-value.ts'
import { assignElements } from './assign-elements.ts'
import { assignValue, assignValueInPieces, keepIfImmutable } from './assign-value.ts'
import { type Assignment, type PatchOperation, toAssignments } from './parse-patch.ts'

/** The outcome of a PATCH. */
interface PatchResult {
  readonly resource: JsonObject
  /** False when the resource is unchanged: then `resource` is the same object, and neither version nor date may change. */
  readonly changed: boolean
  /** The tolerances that the request has used. */
  readonly applied: readonly AppliedTolerance[]
}

/**
 * Applies operations in order to a copy of a resource (RFC 7644 §3.5.2). When it throws, nothing has changed.
 * @throws ScimError invalidPath, invalidFilter — the reasons of `resolvePath`; noTarget — reason `path_no_match`; mutability —
 * reasons `attribute_read_only`, `attribute_immutable`, `attribute_required`; invalidValue — the reasons of `readValue`, and
 * `value_missing`; invalidSyntax — reasons `remove_with_value`, `attribute_unknown`, `member_repeated`; 413 — reason
 * `operations_too_many`.
 */
export function applyPatch(
  resource: JsonObject,
  operations: readonly PatchOperation[],
  context: MessageContext,
): PatchResult {
  const assignments = operations.flatMap((operation) => toAssignments(operation, context))
  const work = createWorkBudget(defaultLimits.work)
  return runAtOnce(applyAssignments(resource, assignments, { ...context, work }))
}

/** Applies assignments, into which `toAssignments` has split the operations. Works in pieces, between which other requests may run. */
export function* applyAssignments(
  resource: JsonObject,
  assignments: readonly Assignment[],
  context: PatchContext,
): Pieces<PatchResult> {
  const patched = yield* applyAll(resource, mergeAssignments(assignments), context)
  const complete = completeResource(patched, context.resourceType)
  const changed = !(yield* sameValueInPieces(resource, complete))
  return { resource: changed ? complete : resource, changed, applied: context.tolerances.applied() }
}

/**
 * Merges adjacent assignments that add to the same list, or remove from it by a filter. When a thousand operations each add a
 * member to a group, its members are then read once instead of a thousand times.
 */
function mergeAssignments(assignments: readonly Assignment[]): readonly Assignment[] {
  const runs: { first: Assignment; run: Assignment[] }[] = []
  for (const assignment of assignments) {
    const last = runs.at(-1)
    if (last !== undefined && canMerge(last.first, assignment)) last.run.push(assignment)
    else runs.push({ first: assignment, run: [assignment] })
  }
  return runs.flatMap(({ first, run }) => mergeRun(first, run))
}

function mergeRun(first: Assignment, run: readonly Assignment[]): readonly Assignment[] {
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

/**
 * Returns the alternatives of a filter. Callers join those of several filters, because adjacent equalities are
 * evaluated with one look-up.
 */
export const operandsOf = (filter: ResolvedFilter | undefined): readonly ResolvedFilter[] =>
  filter === undefined ? [] : filter.kind === 'or' ? filter.operands : [filter]

/**
 * Returns whether two assignments can be merged: both add to, or both remove from, one list without a `primary`
 * sub-attribute. Two extensions may share an attribute, so the extensions are compared as well.
 */
function canMerge(one: Assignment, other: Assignment): boolean {
  const { attribute, extension } = one.target
  if (attribute !== other.target.attribute || extension !== other.target.extension) return false
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

function* applyAll(
  resource: JsonObject,
  assignments: readonly Assignment[],
  { tolerances, work }: PatchContext,
): Pieces<JsonObject> {
  let draft = resource
  for (const assignment of assignments) {
    // RFC 9110 §15.5.14: each operation reads the whole list that it changes.
    if (!work.spend(estimateWork(draft, assignment))) throw refuse('operations_too_many')
    draft = yield* applyAssignment(draft, assignment, tolerances)
    yield
  }
  return draft
}

/** Applies one assignment to a copy of a resource. */
function* applyAssignment(
  resource: JsonObject,
  assignment: Assignment,
  tolerances: ToleranceCounter,
): Pieces<JsonObject> {
  const { extension, attribute } = assignment.target
  const found = extension === undefined ? resource : getMember(resource, extension)
  const owner = isObject(found) ? found : {}
  const current = getMember(owner, attribute.name)
  const next = yield* nextValue(current, assignment, tolerances)
  const changed = withMember(owner, attribute.name, next)
  if (extension === undefined) return changed
  return withMember(resource, extension, Object.keys(changed).length === 0 ? undefined : changed)
}

function* nextValue(
  current: JsonValue | undefined,
  assignment: Assignment,
  tolerances: ToleranceCounter,
): Pieces<JsonValue | undefined> {
  const { attribute, where, subAttribute } = assignment.target
  if (attribute.isComputed || subAttribute?.isComputed === true) return keepComputed(current, subAttribute ?? attribute)
  if (attribute.mutability === 'readOnly') return requireUnchanged(current, assignment, tolerances)
  if (subAttribute?.mutability === 'readOnly')
    return tolerances.admits('read-only-sub-attribute') ? current : requireUnchanged(current, assignment, tolerances)
  if (where === undefined && subAttribute === undefined)
    return yield* assignValueInPieces(attribute, current, { ...assignment, tolerances })
  return yield* keepIfImmutable(attribute, current, yield* assignPart(current, assignment, tolerances))
}

/** Assigns some values of a list, or a sub-attribute. */
function* assignPart(
  current: JsonValue | undefined,
  assignment: Assignment,
  tolerances: ToleranceCounter,
): Pieces<JsonValue | undefined> {
  if (!assignment.target.attribute.multiValued) return assignSubAttribute(current, assignment, tolerances)
  const elements = yield* assignElements(isArray(current) ? current : [], assignment, tolerances)
  return elements.length === 0 ? undefined : elements
}

/**
 * Ignores a write to an attribute that every response computes, because its value is not stored. Refuses the write if
 * the attribute is immutable.
 */
function keepComputed(current: JsonValue | undefined, { name, mutability }: Attribute): JsonValue | undefined {
  // RFC 7643 §7 mutability: an immutable value cannot change.
  if (mutability === 'immutable') throw refuse('attribute_immutable', { attribute: name })
  return current
}

/** Assigns a sub-attribute of a single-valued complex attribute, which is created when absent (RFC 7644 §3.5.2.1). */
function assignSubAttribute(
  current: JsonValue | undefined,
  assignment: Assignment,
  tolerances: ToleranceCounter,
): JsonValue | undefined {
  const { attribute, subAttribute } = assignment.target
  const before = isObject(current) ? current : {}
  if (subAttribute === undefined) return current
  const part = assignValue(subAttribute, getMember(before, subAttribute.name), { ...assignment, tolerances })
  const after = buildComplexValue(attribute, Object.entries(withMember(before, subAttribute.name, part)))
  return after === undefined ? undefined : keepImmutableParts(attribute, current, after)
}

/**
 * Refuses to change a read-only attribute. It may be sent with its current value, as Okta does with the id of a group.
 */
function requireUnchanged(
  current: JsonValue | undefined,
  { op, target, value }: Assignment,
  tolerances: ToleranceCounter,
): JsonValue | undefined {
  const { subAttribute } = target
  const part = subAttribute !== undefined && isObject(current) ? getMember(current, subAttribute.name) : current
  const repeated =
    op !== 'remove' &&
    (sameValue(part, value) || (part === undefined && isUnassigned(target.attribute, value, tolerances)))
  // RFC 7644 §3.5.2: "mutability" of readOnly.
  if (!repeated) throw refuse('attribute_read_only', { attribute: attributeLabel(target) })
  return current
}

/**
 * Estimates the work of an assignment: the values of its list, weighted by the comparisons of its filter. Twelve comparisons cost
 * about as much as the remaining work on a value.
 */
function estimateWork(resource: JsonObject, { target: { attribute, extension, where } }: Assignment): number {
  const owner = extension === undefined ? resource : getMember(resource, extension)
  const list = isObject(owner) ? getMember(owner, attribute.name) : undefined
  if (!isArray(list)) return 0
  return list.length * (1 + (where === undefined ? 0 : comparisonsOf(where.filter, comparisonCosts)) / 12)
}

/** `matchesFilter` evaluates any number of equalities with one look-up. */
const comparisonCosts = { list: 0, equalities: 'together' } as const
