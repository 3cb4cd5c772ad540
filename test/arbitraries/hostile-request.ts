import type { ServerRequest } from '@mintmark/core/http'
import fc from 'fast-check'

/** A valid request, which the arbitrary mutates. */
export interface GoodRequest {
  readonly method: string
  readonly path: string
  /** Sent in the query of a GET or the form of a POST. `path` may already have a query. */
  readonly parameters: readonly Parameter[]
  readonly headers: Readonly<Record<string, string>>
}

type Parameter = readonly [name: string, value: string]

/**
 * Requests that might break the server: a valid request with its parameters and headers replaced, repeated or left out,
 * sent to another path, by another method, as another media type, or as bytes that are not a form.
 * @param good valid requests in groups; each group is used equally often.
 */
export const hostileRequest = (
  origin: string,
  good: readonly (readonly GoodRequest[])[],
): fc.Arbitrary<ServerRequest> =>
  fc
    .record({
      base: fc.oneof(...good.map((group) => fc.constantFrom(...group))),
      method: rarely(fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'get', '__proto__', '')),
      path: rarely(
        fc.constantFrom(...good.flat().map(({ path }) => path), '/', '/auth/', '//auth', '/__proto__', '/TOKEN'),
      ),
      parameters: fc.array(mutation(fc.constantFrom(...parameterNames), hostileText), { maxLength: 3 }),
      headers: fc.array(
        mutation(fc.constantFrom(...headerNames), fc.oneof(fc.constantFrom(...headerValues), hostileText)),
        { maxLength: 2 },
      ),
      repeated: rarely(fc.subarray(['authorization', 'content-type', 'cookie', 'origin'])),
      isMisplaced: rarely(fc.constant(true)),
      bytes: rarely(fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...bodies).map(utf8))),
    })
    .map(({ base, method, path, parameters, headers, repeated, isMisplaced, bytes }) => {
      const mutated = parameters.reduce(mutate, base.parameters)
      const text = mutated.map((parameter) => parameter.map(percentEncode).join('=')).join('&')
      const inBody = (base.method === 'POST') !== (isMisplaced === true)
      const [pathname = '', query = ''] = (path ?? base.path).split('?')
      return {
        method: method ?? base.method,
        url: new URL(`${origin}${pathname}?${[query, inBody ? '' : text].filter((part) => part !== '').join('&')}`),
        headers: new Map(headers.reduce(mutate, Object.entries(base.headers))),
        repeatedHeaders: new Set(repeated),
        host: undefined,
        body: bytes ?? utf8(inBody ? text : ''),
      }
    })

/** A mutation of a list of names and values. A number selects an existing name. */
interface Mutation {
  readonly how: 'replace' | 'repeat' | 'drop'
  readonly name: string | number
  readonly value: string
}

const mutation = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<Mutation> =>
  fc.record({
    how: fc.constantFrom('replace', 'replace', 'replace', 'repeat', 'drop'),
    name: fc.oneof(name, fc.nat(100)),
    value,
  })

function mutate(list: readonly Parameter[], { how, name: which, value }: Mutation): readonly Parameter[] {
  const name = typeof which === 'string' ? which : (list[which % list.length]?.[0] ?? '')
  if (how === 'repeat') return [...list, [name, value]]
  const others = list.filter(([other]) => other !== name)
  return how === 'drop' ? others : [...others, [name, value]]
}

const rarely = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

/**
 * Percent-encodes a string. Leaves escapes unchanged, even malformed ones. Replaces unpaired surrogates, which have no bytes.
 */
export const percentEncode = (text: string): string =>
  text.startsWith('%') ? text : encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'))

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const oddities = [
  '',
  ' ',
  '+',
  '%',
  '%zz',
  '%00',
  '%00x',
  'x\u0000y',
  '%ED%A0%80',
  '%FF%FE',
  '%C0%AE',
  '\u0000',
  '\uD800',
  'x\uDC00',
  '\u202E',
  '\uFEFF',
  '\r\nSet-Cookie: a=b',
  '🂡',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e309',
  '99999999999999999999',
  '{}',
  '[]',
  '[[[[]]]]',
  '{"__proto__":{"x":1}}',
  '{"id_token":{"__proto__":null,"acr":{"essential":true,"values":[{},[],null,1e400]}}}',
  '{"userinfo":{"email":{"value":{"a":[1]}},"constructor":null}}',
  '{"id_token":{"sub":{"value":{}}}}',
  '['.repeat(2000),
  '{"id_token":'.repeat(300),
  "' OR 1=1--",
  '"><script>alert(1)</script>',
  '../../etc/passwd',
  'javascript:alert(1)',
  'https://evil.test',
  '//evil.test',
  'http://127.0.0.1:1/cb',
  'a.b.c',
  '..',
  '...',
  'eyJhbGciOiJub25lIn0.e30.',
  'A'.repeat(43),
  '-'.repeat(43),
  '_'.repeat(107),
  'x'.repeat(300),
  'é'.repeat(5000),
  ' '.repeat(9000),
  '"'.repeat(1024),
  'openid openid  openid',
  'openid\tprofile',
  'none login',
  'S256',
  'plain',
  'form_post',
  'fragment',
  'query',
  'code',
  'code id_token',
]

const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddities) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
)

const parameterNames = [
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'claims',
  'acr_values',
  'login_hint',
  'id_token_hint',
  'ui_locales',
  'display',
  'resource',
  'request',
  'request_uri',
  'registration',
  'grant_type',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
  'token_type_hint',
  'access_token',
  'interaction',
  'username',
  'password',
  'decision',
  '__proto__',
  'constructor',
  'scope[]',
  '',
]

const headerNames = [
  'authorization',
  'cookie',
  'content-type',
  'content-encoding',
  'content-length',
  'origin',
  'sec-fetch-site',
  'accept',
  'accept-language',
  'x-request-id',
  'if-none-match',
  'host',
  'x-forwarded-host',
  '__proto__',
]

const headerValues = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-16',
  'application/json',
  'multipart/form-data; boundary=x',
  'gzip',
  'same-origin',
  'cross-site',
  'null',
  'Basic',
  'Basic =',
  'Basic OjE=',
  'Basic QTolRkY=',
  'Bearer',
  'Bearer a.b.c',
  'DPoP x',
  '*',
  'de;q=,,;q=2',
  'application/token-introspection+jwt',
  'W/"x", *',
]

const bodies = [
  '{"grant_type":"refresh_token"}',
  '&'.repeat(16_000),
  '='.repeat(16_000),
  'a=1&'.repeat(4000),
  '%'.repeat(16_000),
  'grant_type',
  '<x/>',
]
