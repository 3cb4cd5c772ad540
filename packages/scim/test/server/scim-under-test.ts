import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import { epochSeconds, type EpochSeconds, type JsonObject, type ScimStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

import {
  createScimServer,
  registerIdentityProvider,
  type ScimEvent,
  type ScimServer,
  type ScimServerOptions,
  type ToleranceProfile,
} from '../../src/index.ts'

/** An answer, with its body read. */
export interface ScimReply {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** Undefined when there is none. */
  readonly body: JsonObject | undefined
}

/** What a test sends, to the provider T1 with its secret S1 unless it says another. */
export interface ScimSent {
  readonly method?: string
  /** Below the provider's base, with a leading slash, query included: `/Users?count=1`. */
  readonly path: string
  readonly provider?: string
  /** The Authorization header; undefined sends none. */
  readonly authorization?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON unless it is a string or bytes. */
  readonly body?: unknown
}

/** A SCIM server with the providers T1 and T2, in this process, without a port. */
export interface ScimUnderTest {
  readonly server: ScimServer
  readonly storage: ScimStorage
  readonly events: readonly ScimEvent[]
  /** By provider. */
  readonly secrets: Readonly<Record<string, string>>
  readonly clock: { now(): EpochSeconds; advance(seconds: number): void }
  send(sent: ScimSent): Promise<ScimReply>
  /** Another server over the same rows, with the same secrets. */
  beside(options: Partial<ScimServerOptions>): Pick<ScimUnderTest, 'send'>
  /** The reason of the last refusal. */
  lastReason(): string | undefined
}

/** The `id` of the resource that an answer shows. */
export function idOf({ body }: ScimReply): string {
  const id = body?.['id']
  if (typeof id !== 'string') throw new TypeError('The answer shows no resource.')
  return id
}

export const issuer = 'https://as.test'

interface Options extends Partial<ScimServerOptions> {
  readonly toleranceProfile?: ToleranceProfile
}

export async function startScim({ toleranceProfile = 'general', ...options }: Options = {}): Promise<ScimUnderTest> {
  let now = 1_790_000_000
  const clock = { now: () => epochSeconds(now), advance: (seconds: number) => void (now += seconds) }
  const storage = options.storage ?? createMemoryStorage({ issuer })
  const events: ScimEvent[] = []
  const secrets: Record<string, string> = {}
  for (const providerId of ['T1', 'T2']) {
    secrets[providerId] = (
      await registerIdentityProvider({ providerId, toleranceProfile }, { storage, clock: clock.now })
    ).secret
  }
  const served = {
    issuer,
    storage,
    clock: clock.now,
    onEvent: (event: ScimEvent) => void events.push(event),
    ...options,
  }
  const server = createScimServer(served)
  const sendTo = (to: ScimServer) => async (sent: ScimSent) => readReply(await to.handle(requestOf(sent, secrets)))

  return {
    server,
    storage,
    events,
    secrets,
    clock,
    lastReason: () => events.findLast((event) => event.type === 'request.refused')?.reason,
    send: sendTo(server),
    beside: (other) => ({ send: sendTo(createScimServer({ ...served, ...other })) }),
  }
}

function requestOf(
  { method = 'GET', path, provider = 'T1', headers = {}, body, ...sent }: ScimSent,
  secrets: Readonly<Record<string, string>>,
): ServerRequest {
  const authorization = 'authorization' in sent ? sent.authorization : `Bearer ${secrets[provider]}`
  const all = new Map(Object.entries({ 'content-type': 'application/scim+json', ...headers }))
  if (authorization !== undefined) all.set('authorization', authorization)
  return {
    method,
    url: new URL(`${issuer}/scim/v2/enterprise-idps/${provider}${path}`),
    headers: all,
    repeatedHeaders: new Set(),
    host: undefined,
    body: body === undefined ? new Uint8Array() : bytesOf(body),
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function readReply({ status, headers, body }: ServerResponse): ScimReply {
  const text = typeof body === 'string' ? body : undefined
  return {
    status,
    headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: text === undefined ? undefined : (JSON.parse(text) as JsonObject),
  }
}
