import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import { type Journal, type Pieces, runInTurns, type Turns } from '@mintmark/internal'
import type { EpochSeconds, JsonValue } from '@mintmark/storage-interface'

import type { ScimOccurrence } from '../event/scim-event.ts'
import { type Assignment, parsePatchInPieces, toAssignments } from '../patch/parse-patch.ts'
import type { ScimCaller } from '../providers/authenticate-provider.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createToleranceCounter, type ToleranceCounter, tolerancesOf } from '../tolerance/tolerances.ts'
import type { ParseContext } from '../schema/parse-context.ts'
import type { PatchContext } from '../patch/parse-patch.ts'
import type { WorkBudget } from '../limits/work-budget.ts'
import type { MessageLimits } from '../limits/scim-limits.ts'

/** A request of an authenticated provider. */
export interface ScimCall {
  readonly request: ServerRequest
  /** The body of an operation of a Bulk request, which is already parsed. */
  readonly message?: JsonValue | undefined
  readonly caller: ScimCaller
  /** The provider's SCIM tenant URL, without a trailing slash. */
  readonly baseUrl: string
  /** The `id` in the URL; empty for a collection. */
  readonly id: string
  readonly now: EpochSeconds
  /** Lets other requests run in the middle of long work. */
  readonly turns: Turns
  /** Aborted when the client of a read has disconnected. */
  readonly signal: AbortSignal | undefined
  /**
   * Authenticates the request again, at most once a second: the secret may be revoked, or the provider disabled, while the request
   * waits or is processed. Called before each operation of the request.
   * @throws ScimError 401 and 403 — the reasons of `authenticateProvider`.
   */
  readonly authenticateAgain: () => Promise<void>
  /** The limits of a message. */
  readonly limits: MessageLimits
  /** The work that the request may still cause. */
  readonly work: WorkBudget
  /**
   * Waits until a response of this size fits in memory alongside the other responses. It is called before the response
   * is made.
   */
  readonly waitForRoom: (bytes: number) => Promise<void>
  /**
   * Counts further operations of the request against the provider's request limit.
   * @throws ScimError 429 — reason `too_many_requests`.
   */
  readonly countOperations: (operations: number) => Promise<void>
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

/** Creates the parse context of a request, with the tolerances of its provider. */
export const createCallContext = (call: ScimCall, resourceType: ResourceType): PatchContext => ({
  resourceType,
  tolerances: toleranceCounterOf(call),
  baseUrl: call.baseUrl,
  work: call.work,
})

/** Creates a counter for the tolerances of the provider of a request. */
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
  readonly context: PatchContext
}

/** Parses the PATCH of a request; called for each attempt to write it. */
export type PatchParser = () => Promise<ParsedPatch>

/**
 * Returns a parser that parses the PATCH body of a request at its first call, so that a retried write parses it only
 * once. It does not parse earlier, because a missing resource must be refused before a malformed body. Each attempt
 * counts its tolerances separately.
 * @throws ScimError the reasons of `parsePatch` and `resolvePath`.
 */
export function createPatchParser(call: ScimCall, body: unknown, resourceType: ResourceType): PatchParser {
  let parsed: ParsedPatch | undefined
  return async () => {
    parsed ??= await runInTurns(parse(body, createCallContext(call, resourceType), call.limits), call.turns)
    const { assignments, context } = parsed
    return { assignments, context: { ...context, tolerances: context.tolerances.fork() } }
  }
}

function* parse(body: unknown, context: PatchContext, limits: MessageLimits): Pieces<ParsedPatch> {
  const assignments: Assignment[] = []
  for (const operation of yield* parsePatchInPieces(body, context.tolerances, limits)) {
    for (const assignment of toAssignments(operation, context)) assignments.push(assignment)
    yield
  }
  return { assignments, context }
}
