import type { ServerRequest } from '@mintmark/core/http'
import fc from 'fast-check'

import { percentEncode, utf8 } from './hostile-request.ts'

/** A valid request, which the arbitrary mutates. */
export interface GoodAdminRequest {
  readonly method: string
  /** Relative to the base path, with the query. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

/**
 * Requests with which an administrator might break the server: a valid request with members of its body replaced or
 * added, with another identifier or query, another method, other headers, or bytes that are not JSON.
 */
export const hostileAdminRequest = (base: string, good: readonly GoodAdminRequest[]): fc.Arbitrary<ServerRequest> =>
  fc
    .record({
      sent: fc.constantFrom(...good),
      method: rarely(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'get', '')),
      segment: rarely(fc.tuple(fc.nat(3), hostileText)),
      query: rarely(
        fc.array(
          fc.tuple(
            fc.constantFrom('after', 'limit', 'filter', 'product', '__proto__', 'x'),
            fc.oneof(fc.constantFrom(...filters), hostileText),
          ),
          { maxLength: 2 },
        ),
      ),
      members: fc.array(fc.tuple(fc.oneof(fc.nat(20), fc.constantFrom(...memberNames)), hostileValue), {
        maxLength: 2,
      }),
      headers: fc.array(
        fc.tuple(
          fc.constantFrom('if-match', 'content-type', 'content-encoding', 'x-request-id'),
          fc.oneof(fc.constantFrom(...headerValues), hostileText),
        ),
        { maxLength: 1 },
      ),
      bytes: rarely(fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...texts).map(utf8))),
    })
    .map(({ sent, method, segment, query, members, headers, bytes }) => ({
      method: method ?? sent.method,
      url: new URL(base + addressOf(sent.path, segment, query)),
      headers: new Map([['content-type', 'application/json'], ...headers]),
      repeatedHeaders: new Set<string>(),
      host: undefined,
      body: bytes ?? utf8(sent.body === undefined ? '' : JSON.stringify(withMembers(sent.body, members))),
    }))

function addressOf(
  path: string,
  segment: readonly [number, string] | undefined,
  query: readonly (readonly [string, string])[] | undefined,
): string {
  const [pathname = '', search = ''] = path.split('?')
  const segments = pathname
    .split('/')
    .map((part, index) => (segment !== undefined && index === segment[0] + 2 ? percentEncode(segment[1]) : part))
  const parameters = query?.map((pair) => pair.map(percentEncode).join('=')).join('&') ?? search
  return `${segments.join('/')}?${parameters}`
}

/** Replaces or adds members. A number selects an existing member. */
function withMembers(
  body: Readonly<Record<string, unknown>>,
  members: readonly (readonly [string | number, unknown])[],
): object {
  const names = Object.keys(body)
  const entries = new Map(Object.entries(body))
  for (const [which, value] of members)
    entries.set(typeof which === 'string' ? which : (names[which % Math.max(names.length, 1)] ?? 'x'), value)
  return Object.fromEntries(entries)
}

const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const oddities = [
  '',
  ' ',
  '%',
  '%zz',
  '%00',
  '%ED%A0%80',
  '%FF',
  '\u0000',
  '\uD800',
  '\u202E',
  '\uFEFF',
  '\r\nSet-Cookie: a=b',
  '🂡',
  '..',
  '../..',
  '.',
  '/',
  '\\',
  '"',
  "'",
  '__proto__',
  'constructor',
  'toString',
  'null',
  'NaN',
  '-1',
  '0',
  '1',
  '1.a',
  '999999999999.x',
  '1e309',
  '99999999999999999999',
  '1790000000.',
  '"1"',
  'W/"1"',
  '*',
  "' OR 1=1--",
  '<script>',
  'javascript:alert(1)',
  'https://evil.test/cb',
  'http://127.0.0.1',
  'ftp://x',
  'x'.repeat(300),
  'é'.repeat(2000),
  'a b',
  'a_b',
  'app',
  'ann',
  'corp',
  'acme',
  'RS256',
  'none',
  'client_secret_post',
  'private_key_jwt',
  'authorization_code',
  'client_credentials',
  'okta',
  'strict',
  'owner',
]

const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...oddities) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.array(hostileText, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    0.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    {},
    [],
    nested(7),
    nested(9),
    nested(31),
    { keys: [] },
    { keys: [{ kty: 'oct', k: 'x' }] },
    { keys: [null] },
  ),
  fc.dictionary(hostileText, fc.oneof(hostileText, fc.constant(null), fc.constant(nested(8))), { maxKeys: 3 }),
)

const memberNames = [
  'client_id',
  'client_name',
  'token_endpoint_auth_method',
  'redirect_uris',
  'grant_types',
  'scopes',
  'jwks',
  'jwks_uri',
  'default_max_age',
  'served_audiences',
  'previous_expires_at',
  'provider_id',
  'display_name',
  'tolerance_profile',
  'client_ids',
  'user_id',
  'claims',
  'custom_fields',
  'filter',
  'after',
  'limit',
  'organization_id',
  'roles',
  'version',
  '__proto__',
  'constructor',
  '',
]

const filters = [
  'active eq true',
  'claims.email co "x"',
  'claims.email eq "\\u0000"',
  'claims.name sw "\\ud800"',
  'created gt "2026-01-01T00:00:00Z"',
  'created lt "-999999-01-01T00:00:00Z"',
  'not (id eq "x")',
  'id eq null',
  'claims pr',
  'claims eq "x"',
  'provider ne "corp"',
  'claims.employee_number gt 1e308',
  'externalId pr',
  '(((((',
  'active',
  `${'('.repeat(30)}id pr`,
]

const headerValues = [
  '"1"',
  '"99"',
  '*',
  'W/"1"',
  '',
  'application/json; charset=utf-16',
  'text/plain',
  'application/merge-patch+json',
  'gzip',
]

const texts = [
  '',
  '{',
  'null',
  '[]',
  '1',
  '"x"',
  '['.repeat(60_000),
  '{"a":'.repeat(2000),
  `{"claims":{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}}`,
  '{"claims":{"__proto__":{"x":1}}}',
  '{"client_name":"\\ud800"}',
  '\uFEFF{}',
]
