import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { Journal } from '@mintmark/internal'
import type { EpochSeconds } from '@mintmark/storage-interface'

import type { ScimOccurrence } from '../event/scim-event.ts'
import { type Assignment, parsePatch, toAssignments } from '../patch/parse-patch.ts'
import type { ScimCaller } from '../providers/authenticate-provider.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import {
  createToleranceCounter,
  type ParseContext,
  type ToleranceCounter,
  tolerancesOf,
} from '../tolerance/tolerances.ts'

/** A request of an authenticated provider. */
export interface ScimCall {
  readonly request: ServerRequest
  readonly caller: ScimCaller
  /** The provider's SCIM tenant URL, without a trailing slash. */
  readonly baseUrl: string
  /** The `id` in the URL; empty for a collection. */
  readonly id: string
  readonly now: EpochSeconds
}

/** Handles a request. It throws refusals, which the router renders. */
export type ScimEndpoint = (call: ScimCall) => Promise<ServerResponse>

/** The endpoints of a URL, by upper-case method. */
export type ScimMethods = Readonly<Record<string, ScimEndpoint>>

/** The endpoints below one name: `/Users`, `/Users/{id}`, and others such as `/Users/.search`. */
export interface ScimCollection {
  readonly collection: ScimMethods
  readonly member?: ScimMethods
  readonly named?: Readonly<Record<string, ScimMethods>>
}

/** The collections of a server, by lower-case name. */
export type ScimRoutes = Readonly<Record<string, ScimCollection>>

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
