import type { AuthorizationServer, KeyRing } from '@mintmark/core'
import type { WaitLimit } from '@mintmark/core/internal'
import {
  type Clock,
  decodeBody,
  hasMediaType,
  isTooDeep,
  type Journal,
  parseJsonObject,
  type Random,
  type ServerRequest,
} from '@mintmark/internal'
import type { AdminStorage, ClientRecord, JsonObject } from '@mintmark/storage-interface'

import { refuse, type TransmitterOccurrence } from './refusals.ts'

export interface TransmitterDependencies {
  readonly issuer: string
  readonly storage: AdminStorage
  readonly keys: KeyRing
  readonly accessTokens: Pick<AuthorizationServer, 'accessToken'>
  readonly allowedOrigins: readonly string[]
  readonly clock: Clock
  readonly random: Random
  readonly journal: Journal<TransmitterOccurrence>
  readonly basePath: string
  readonly pollPath: string
  /** Bounds the polls that wait: each reads storage twice a second. */
  readonly waiting: WaitLimit
}

/** A receiver: a client with an access token of its own. */
export interface Receiver {
  readonly client: ClientRecord
}

/**
 * Reads a JSON object. Without a Content-Type, as in the examples of SSF 1.0 §8.1, the body is taken for JSON.
 * @throws SignalError `body_malformed` | `media_type`.
 */
export function readBody(request: ServerRequest): JsonObject {
  if (request.headers.has('content-type') && !hasMediaType(request, ['application/json'])) throw refuse('media_type')
  const text = decodeBody(request.body) ?? ''
  const body = isTooDeep(text) ? undefined : parseJsonObject(text)
  if (body === undefined) throw refuse('body_malformed')
  return body
}
