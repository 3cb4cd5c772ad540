import type { ServerRequest } from '@mintmark/internal'
import { readCertificateHeader } from '@mintmark/internal'
import { describe, expect, it } from 'vitest'

import { certificateFromHeader } from './client-certificate.ts'

const der = Uint8Array.of(0x30, 0x01, 0xfb)
const header = ':MAH7:'
const pem = encodeURIComponent('-----BEGIN CERTIFICATE-----\nMAH7\n-----END CERTIFICATE-----\n')
const trust = 'this_proxy_sets_and_strips_it'

const requestWith = (headers: Readonly<Record<string, string>>, repeated: readonly string[] = []): ServerRequest => ({
  method: 'POST',
  url: new URL('https://as.test/token'),
  headers: new Map(Object.entries(headers)),
  repeatedHeaders: new Set(repeated),
  host: undefined,
  body: new Uint8Array(),
})

describe('a certificate in a header', () => {
  const read = certificateFromHeader({ format: 'client-cert', trust, chain: { header: 'X-Verify' } })

  it('has a verified chain only if the proxy reports SUCCESS (RFC 8705 §6.3)', () => {
    const chains = ['SUCCESS', 'NONE', 'success', ''].map((verdict) =>
      read(requestWith({ 'client-cert': header, 'x-verify': verdict })),
    )

    expect(chains).toEqual(['verified', 'unverified', 'unverified', 'unverified'].map((chain) => ({ der, chain })))
    expect(read(requestWith({ 'client-cert': header }))).toEqual({ der, chain: 'unverified' })
  })

  it('is ignored when the header is repeated, and its chain is unverified when the header with the result is repeated (RFC 9440 §4)', () => {
    expect(read(requestWith({ 'client-cert': header }, ['client-cert']))).toBeUndefined()
    expect(readCertificateHeader('client-cert', [header, header])).toBeUndefined()
    const twice = requestWith({ 'client-cert': header, 'x-verify': 'SUCCESS' }, ['x-verify'])
    expect(read(twice)).toEqual({ der, chain: 'unverified' })
  })

  it('is read from the header that the host names instead of the default (RFC 9440 §2)', () => {
    const own = certificateFromHeader({ format: 'nginx', trust, chain: 'unverified', header: 'X-SSL-Cert' })

    expect(own(requestWith({ 'x-ssl-cert': pem }))).toEqual({ der, chain: 'unverified' })
    expect(own(requestWith({ 'ssl-client-cert': pem }))).toBeUndefined()
  })

  it.each([
    ['client-cert', 'MAH7'],
    ['client-cert', ':MAH7:, :MAH7:'],
    ['client-cert', ':MA=H7:'],
    ['nginx', `${pem}${pem}`],
    ['nginx', '%'],
    ['envoy', `Cert="${pem}",Cert="${pem}"`],
    ['envoy', `Cert="${pem}";Cert="${pem}"`],
    ['envoy', `Hash=00;URI=x`],
    ['envoy', `Subject="\\";Cert=${pem};"`],
  ] as const)('is ignored in a malformed header of the format %s: %s (RFC 9440 §2.2)', (format, value) => {
    expect(readCertificateHeader(format, [value])).toBeUndefined()
  })

  it('cannot be read without explicit trust in the proxy, or with an invalid option (RFC 9440 §4)', () => {
    const without = { format: 'nginx', chain: 'verified' } as Parameters<typeof certificateFromHeader>[0]

    expect(() => certificateFromHeader(without)).toThrow(/trust/)
    expect(() => certificateFromHeader({ ...without, trust, format: 'apache' as 'nginx' })).toThrow(/format/)
    expect(() => certificateFromHeader({ ...without, trust, chain: 'yes' as 'verified' })).toThrow(/chain/)
  })
})
