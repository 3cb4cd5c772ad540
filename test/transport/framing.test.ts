import { describe, expect, test } from 'vitest'
import { adapters } from '../support/adapters.ts'
import { aHost } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

const grant = 'grant_type=authorization_code'

describe.each(adapters)('on $name', (adapter) => {
  test.each([
    ['Content-Length and Transfer-Encoding', ['Content-Length: 5', 'Transfer-Encoding: chunked'], `0\r\n\r\n${grant}`],
    ['two lengths', ['Content-Length: 5', 'Content-Length: 29'], grant],
    ['two equal lengths', ['Content-Length: 29', 'Content-Length: 29'], grant],
    ['a list of lengths', ['Content-Length: 29, 29'], grant],
    ['a length with a sign', ['Content-Length: +29'], grant],
    ['a length in hexadecimal', ['Content-Length: 0x1d'], grant],
    ['a negative length', ['Content-Length: -1'], grant],
    ['a space before the colon', ['Transfer-Encoding : chunked'], '0\r\n\r\n'],
    ['chunked that is not last', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    ['an unknown transfer coding', ['Transfer-Encoding: xchunked'], `1d\r\n${grant}\r\n0\r\n\r\n`],
    ['the identity coding', ['Transfer-Encoding: identity'], grant],
    ['a chunk without a size', ['Transfer-Encoding: chunked'], `\r\n${grant}\r\n0\r\n\r\n`],
    ['a chunk size that is not a number', ['Transfer-Encoding: chunked'], `zz\r\n${grant}\r\n0\r\n\r\n`],
    [
      'a chunk size beyond the number range',
      ['Transfer-Encoding: chunked'],
      `fffffffffffffffff\r\n${grant}\r\n0\r\n\r\n`,
    ],
    ['a chunk longer than its size', ['Transfer-Encoding: chunked'], `5\r\n${grant}\r\n0\r\n\r\n`],
    ['an Authorization header folded with a space', ['Authorization: Basic\r\n QTpi', 'Content-Length: 29'], grant],
    ['an Authorization header folded with a tab', ['Authorization: Basic\r\n\tQTpi', 'Content-Length: 29'], grant],
    ['an Authorization header that begins with a fold', ['Authorization:\r\n Basic QTpi', 'Content-Length: 29'], grant],
    ['a bare line feed in a header', ['Authorization: Basic QTpi\nX: y', 'Content-Length: 29'], grant],
    ['a bare carriage return in a header', ['Authorization: Basic QTpi\rX: y', 'Content-Length: 29'], grant],
    ['a NUL in a header', ['Authorization: Basic \0QTpi', 'Content-Length: 29'], grant],
    ['a space in the name of a header', ['Authorization X: Basic QTpi', 'Content-Length: 29'], grant],
  ])('%s: the HTTP layer rejects it, and nothing is handled (RFC 9112 §5, §6.3)', async (_, headers, body) => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(host.port, requestText('POST /token', headers, body))

    expect(statusesIn(transcript)).toEqual([400])
    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
  })

  test('bytes beyond Content-Length are not part of the body', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const text = requestText('POST /token', ['Content-Length: 10'], `${grant.slice(0, 10)}=authoriza`)
    const transcript = await sendBytes(host.port, text.replace('Connection: close\r\n', ''))

    expect(service.received.map((request) => Buffer.from(request.body).toString())).toEqual(['grant_type'])
    // Node finds the fault after an adapter has read the body, or before.
    expect(statusesIn(transcript)[0]).toBe(adapter.name === 'Fetch' ? 400 : 200)
  })

  test('a body shorter than its Content-Length is not handled', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(host.port, requestText('POST /token', ['Content-Length: 40'], grant), 'close')

    expect(statusesIn(transcript).filter((status) => status !== 400)).toEqual([])
    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
  })

  test.each([
    ['in one header', [`X: ${'a'.repeat(16_400)}`]],
    ['in many headers', Array.from({ length: 1100 }, (_, index) => `X-${index}: aaaaaaaaaa`)],
    ['in the Authorization header', [`Authorization: Basic ${'a'.repeat(16_400)}`]],
  ])('rejects a header block of more than 16 KiB: %s (RFC 6585 §5)', async (_, headers) => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(host.port, requestText('POST /token', [...headers, 'Content-Length: 0']))

    expect(statusesIn(transcript)).toEqual([431])
    expect(service.received).toEqual([])
  })

  test.each([
    [
      'Authorization',
      ['Authorization: Basic QTpi', 'Authorization: Bearer x'],
      ['authorization', 'Basic QTpi, Bearer x'],
    ],
    ['Content-Type in another case', ['Content-Type: a/b', 'content-TYPE: c/d'], ['content-type', 'a/b, c/d']],
    [
      'a header repeated with the same value',
      ['Authorization: Basic QTpi', 'Authorization: Basic QTpi'],
      ['authorization', 'Basic QTpi, Basic QTpi'],
    ],
    [
      'a repeated header with an empty value',
      ['Authorization:', 'Authorization: Basic QTpi'],
      ['authorization', ', Basic QTpi'],
    ],
    ['three equal headers', ['DPoP: a', 'DPoP: b', 'DPoP: c'], ['dpop', 'a, b, c']],
    ['cookies, where a comma is a character', ['Cookie: a=1,2', 'Cookie: b=3'], ['cookie', 'a=1,2; b=3']],
    ['the name of an Object.prototype member', ['__proto__: a', '__proto__: b'], ['__proto__', 'a, b']],
    ['the name of another Object.prototype member', ['constructor: a', 'constructor: b'], ['constructor', 'a, b']],
  ] as const)(
    'joins a repeated header and marks it as repeated: %s (RFC 9110 §5.3)',
    async (_, headers, [name, expected]) => {
      const service = aService()
      const host = await aHost(adapter, { services: [service] })

      const transcript = await sendBytes(host.port, requestText('GET /token', headers))

      expect(statusesIn(transcript)).toEqual([200])
      expect(service.received.map((request) => request.headers.get(name))).toEqual([expected])
      // A Request joins repeated headers, so repetition is visible only for values that cannot contain commas.
      const isSeen = adapter.name !== 'Fetch' || ['authorization', 'content-type', 'dpop'].includes(name)
      expect(service.received.map((request) => [...request.repeatedHeaders])).toEqual([isSeen ? [name] : []])
    },
  )

  test('marks a second Host header as repeated (RFC 9112 §3.2)', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    await sendBytes(host.port, requestText('GET /token', ['Host: evil.test']))

    expect(service.received.map((request) => [...request.repeatedHeaders])).toEqual([['host']])
    expect(service.received.map((request) => request.url.origin)).toEqual(['https://as.test'])
  })

  test('does not mark a header as repeated that was sent once, and treats names such as __proto__ like any other', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    await sendBytes(
      host.port,
      requestText('GET /token', ['__proto__: a', 'constructor: b', 'X-List: a, b', 'X-Latin: \xe9']),
    )

    expect(service.received.map((request) => Object.fromEntries(request.headers))).toEqual([
      { host: 'as.test', connection: 'close', ['__proto__']: 'a', constructor: 'b', 'x-list': 'a, b', 'x-latin': 'é' },
    ])
    expect(service.received.map((request) => request.repeatedHeaders.size)).toEqual([0])
  })
})
