import type { RefusalReason } from '@mintmark/core'
import { expect } from 'vitest'

import { obtainTokens } from './flow.ts'
import { ownKeysOfPrototypes, initialKeysOfPrototypes } from './prototypes.ts'
import type { Reply } from './send.ts'
import type { ServerUnderTest } from './server-under-test.ts'

/** Which stored records a refused request may change: none, only authorization codes, or any. */
type StorageExpectation = 'unchanged' | 'codes may change' | 'may change'

/** A request that is refused, and the reason. `reason` is `undefined` if the request reaches no endpoint of the server. */
export interface Refusal {
  readonly send: () => Promise<Reply>
  readonly reason: RefusalReason | undefined
  readonly storage?: StorageExpectation
  /** Strings in the request that the response must not contain. */
  readonly secrets?: readonly string[]
}

/**
 * Sends a request that must be refused. Asserts the reason, that storage is unchanged (unless `storage` allows
 * changes), that the response reveals no secret and no internals, and that no prototype is polluted.
 */
export async function expectRefusal(site: ServerUnderTest, refusal: Refusal): Promise<Reply> {
  const before = site.dump()
  const events = site.events.length

  const reply = await refusal.send()

  expect(reply.status).toBeLessThan(500)
  expect(Buffer.byteLength(reply.text)).toBeLessThan(4096)
  // The reference on an error page is random and could match one of these patterns by chance.
  const text = reply.text.replace(/Reference: <code>[\w-]{22}<\/code>/, '')
  // The handle of an interaction is random.
  expect(text.replaceAll(/interaction=[\w.%-]+/g, '')).not.toMatch(/node_modules|\.ts\b|\n\s+at |SQL|Error:.*\(/)
  for (const secret of refusal.secrets ?? []) expect(text).not.toContain(secret)
  expect(
    site.events.slice(events).flatMap((event) => (event.type === 'request.refused' ? [event.reason] : [])),
  ).toEqual(refusal.reason === undefined ? [] : [refusal.reason])
  expect(comparedTables(site.dump(), refusal.storage)).toEqual(comparedTables(before, refusal.storage))
  expect(ownKeysOfPrototypes()).toEqual(initialKeysOfPrototypes)
  return reply
}

/** Asserts that the response is an error in JSON (RFC 6749 §5.2). */
export async function expectJsonRefusal(
  site: ServerUnderTest,
  answer: { readonly status: number; readonly error: string },
  refusal: Refusal,
): Promise<Reply> {
  const reply = await expectRefusal(site, refusal)

  expect([reply.status, reply.json['error']]).toEqual([answer.status, answer.error])
  expect(Object.keys(reply.json).filter((name) => name !== 'error')).toEqual(['error_description'])
  expect(reply.json['error_description']).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/)
  expect(reply.header('content-type')).toBe('application/json')
  expect(reply.header('cache-control')).toBe('no-store')
  expect(reply.header('location')).toBeUndefined()
  expect(reply.cookies).toEqual([])
  expect(reply.header('www-authenticate')?.split(' ', 1)[0]).toBe(answer.status === 401 ? 'Basic' : undefined)
  return reply
}

/** Asserts that the response is an error page, not a redirect (RFC 6749 §4.1.2.1), and that no site can frame it. */
export async function expectErrorPage(site: ServerUnderTest, refusal: Refusal, status = 400): Promise<Reply> {
  const reply = await expectRefusal(site, refusal)

  expect(reply.status).toBe(status)
  expect(reply.header('location')).toBeUndefined()
  expect(reply.cookies).toEqual([])
  expect(reply.header('content-type')).toBe('text/html; charset=utf-8')
  expect(reply.header('cache-control')).toBe('no-store')
  expect(reply.header('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(reply.header('x-frame-options')).toBe('DENY')
  expect(reply.text).not.toMatch(/<script|https?:/i)
  return reply
}

/** Asserts that the response redirects the browser to the client with an error (RFC 6749 §4.1.2.1, RFC 9207 §2). */
export async function expectErrorRedirect(
  site: ServerUnderTest,
  answer: {
    readonly error: string
    readonly at?: string
    readonly state?: string | null
    /** The part of the URL that contains the parameters. Default: the query. */
    readonly part?: 'query' | 'fragment'
  },
  refusal: Refusal,
): Promise<Reply> {
  const reply = await expectRefusal(site, refusal)
  const { location } = reply
  const isFragment = answer.part === 'fragment'
  const parameters = isFragment ? new URLSearchParams(location.hash.slice(1)) : location.searchParams

  expect([reply.status, parameters.get('error')]).toEqual([303, answer.error])
  expect(reply.location.origin + reply.location.pathname).toBe(answer.at ?? 'https://app.test/cb')
  expect(parameters.get('iss')).toBe(site.issuer)
  expect(parameters.get('state')).toBe(answer.state === undefined ? 's1' : answer.state)
  expect(parameters.get('error_description')).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/)
  expect(
    [...parameters.keys()].filter((name) => !['error', 'error_description', 'state', 'iss'].includes(name)),
  ).toEqual([])
  expect(isFragment ? location.search : location.hash).toBe('')
  expect(reply.header('referrer-policy')).toBe('no-referrer')
  expect(reply.header('cache-control')).toBe('no-store')
  expect(reply.cookies).toEqual([])
  return reply
}

/** Asserts that a valid request still succeeds after the attack. */
export async function expectServing(site: ServerUnderTest): Promise<void> {
  const tokens = await obtainTokens(site)

  expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'openid profile offline_access' })
}

function comparedTables(dump: string, expected: StorageExpectation = 'unchanged'): unknown {
  if (expected === 'may change') return undefined
  const tables = JSON.parse(dump) as Record<string, unknown>
  return expected === 'unchanged' ? tables : { ...tables, codes: undefined }
}
