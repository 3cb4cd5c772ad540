import type { Journal } from '@mintmark/internal'

import type { ScimOccurrence } from '../event/scim-event.ts'
import { type Assignment, toAssignments } from '../patch/assignments.ts'
import { parsePatch } from '../patch/parse-patch.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createToleranceCounter, type ParseContext, type ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { tolerancesOf } from '../tolerance/tolerances.ts'
import type { ScimCall } from './scim-call.ts'

/** The parse context of a request, with the tolerances of its provider. */
export const createCallContext = (call: ScimCall, resourceType: ResourceType): ParseContext => ({
  resourceType,
  tolerances: toleranceCounterOf(call),
})

/** The tolerances of the provider of a request. */
export const toleranceCounterOf = ({ caller }: ScimCall): ToleranceCounter =>
  createToleranceCounter(tolerancesOf(caller.provider.toleranceProfile))

/** Records an event with the tolerances that a request has used, if any. */
export function recordTolerances(
  { tolerances }: Pick<ParseContext, 'tolerances'>,
  { caller, request }: ScimCall,
  journal: Journal<ScimOccurrence>,
): void {
  const applied = tolerances.applied()
  if (applied.length === 0) return
  journal.record(request, { type: 'tolerance.applied', providerId: caller.provider.providerId, applied })
}

/** A PATCH request, parsed for one attempt to write it. */
interface ParsedPatch {
  readonly assignments: readonly Assignment[]
  readonly context: ParseContext
}

/**
 * Parses the PATCH body of a request at the first call, so that a write that is retried parses it once. Not before the first call,
 * because a resource that does not exist is refused before a malformed body. Every attempt counts its tolerances separately.
 * @throws ScimError the reasons of `parsePatch` and `resolvePath`.
 */
export function createPatchParser(call: ScimCall, body: unknown, resourceType: ResourceType): () => ParsedPatch {
  let parsed: ParsedPatch | undefined
  return () => {
    parsed ??= parse(body, createCallContext(call, resourceType))
    const { assignments, context } = parsed
    return { assignments, context: { ...context, tolerances: context.tolerances.fork() } }
  }
}

const parse = (body: unknown, context: ParseContext): ParsedPatch => ({
  assignments: parsePatch(body, context.tolerances).flatMap((operation) => toAssignments(operation, context)),
  context,
})
