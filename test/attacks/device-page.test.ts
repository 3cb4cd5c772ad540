import { devicePage } from '@mintmark/pages'
import { describe, expect, it } from 'vitest'

import {
  answer,
  approve,
  ask,
  askForCodes,
  confirm,
  consentToAll,
  openCode,
  openConsent,
  poll,
  startDeviceServer,
} from '../support/device-world.ts'
import { expectErrorPage } from '../support/expect-refusal.ts'
import { browserCookie, signedInAs } from '../support/flow.ts'

describe('the page for the user code (RFC 8628 §3.3, §6.1)', () => {
  it.each([
    ['lower case', (code: string) => code.toLowerCase()],
    ['no dash', (code: string) => code.replace('-', '')],
    ['a space', (code: string) => code.replace('-', ' ')],
    ['an en dash', (code: string) => code.replace('-', '–')],
    [
      'full-width letters',
      (code: string) =>
        code.replaceAll(/[A-Z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
    ],
    ['spaces around it', (code: string) => `  ${code} `],
  ])('finds a code with %s', async (_, write) => {
    const site = await startDeviceServer()
    const { userCode } = await askForCodes(site)

    expect((await openCode(site, write(userCode))).status).toBe(200)
  })

  it.each(['0O1I-0O1I', 'AEIO-UAEI', '😀😀😀😀', 'x', 'B'.repeat(2000), 'BBBB-BBBBB'])(
    'does not find %s, and reports the guess',
    async (entered) => {
      const site = await startDeviceServer()
      const before = site.dump()

      const reply = await openCode(site, entered)

      expect(reply.status).toBe(404)
      expect(reply.text).toContain('No device shows this code now')
      expect(site.dump()).toBe(before)
      expect(site.events.at(-1)?.type).toBe('user_code.unknown')
    },
  )

  it('lets a browser guess five times, and a right code resets nothing (RFC 8628 §5.1)', async () => {
    const site = await startDeviceServer()
    const { userCode } = await askForCodes(site)
    const first = await openCode(site, 'BBBB-BBBB')
    const cookie = browserCookie(first)
    const statuses = []
    for (let guess = 0; guess < 4; guess += 1) statuses.push((await openCode(site, 'BBBB-BBBB', cookie)).status)
    statuses.push((await openCode(site, userCode, cookie)).status)
    for (let guess = 0; guess < 2; guess += 1) statuses.push((await openCode(site, 'BBBB-BBBB', cookie)).status)

    expect(statuses).toEqual([404, 404, 404, 404, 200, 404, 429])
    expect((await openCode(site, userCode, cookie)).status).toBe(429)
    expect((await openCode(site, userCode)).status, 'another browser').toBe(200)
    site.clock.advance(600)
    expect((await openCode(site, 'BBBB-BBBB', cookie)).status, 'ten minutes later').toBe(404)
  })

  it('lets an address guess twenty times, however many browsers it invents', async () => {
    const address = () => '192.0.2.1'
    const site = await startDeviceServer({ device: { renderPage: devicePage, address } })
    for (let guess = 0; guess < 20; guess += 1) expect((await openCode(site, 'BBBB-BBBB')).status).toBe(404)

    expect((await openCode(site, 'BBBB-BBBB')).status).toBe(429)
  })

  it('shows a code that was decided or has expired as unknown', async () => {
    const site = await startDeviceServer()
    const [used, late] = [await askForCodes(site), await askForCodes(site)]
    await approve(site, used.userCode)
    site.clock.advance(600)

    expect((await openCode(site, used.userCode)).status).toBe(404)
    expect((await openCode(site, late.userCode)).status).toBe(404)
  })
})

describe('a link with the code in it (RFC 8628 §5.4)', () => {
  it('leads to the question whether the device is the user’s, even when the user is signed in and has consented before', async () => {
    const site = await startDeviceServer()
    await approve(site, (await askForCodes(site)).userCode)
    const { json } = await ask(site)
    const complete = new URL(String(json['verification_uri_complete']))

    const page = await site.send({
      path: complete.pathname + complete.search,
      headers: { cookie: signedInAs(site, 'U1') },
    })

    expect(page.status).toBe(200)
    expect(page.text).toContain('Is this your device?')
    const started = await confirm(site, page)
    expect(started.location.pathname, 'consent is asked each time').toBe('/consent')
    expect((await poll(site, String(json['device_code']))).json['error']).toBe('authorization_pending')
  })

  it.each([
    ['is posted from another site', { origin: 'https://evil.test' }, 403, 'cross_site_post'],
    ['is posted from another site, as the browser says', { 'sec-fetch-site': 'cross-site' }, 403, 'cross_site_post'],
    [
      'comes from another browser',
      { cookie: `mintmark-browser=${'x'.repeat(43)}` },
      400,
      'device_confirmation_unknown',
    ],
    ['comes from a browser without a cookie', { cookie: '' }, 400, 'device_confirmation_unknown'],
    ['is sent by a script', { 'sec-fetch-mode': 'cors' }, 400, 'not_a_navigation'],
  ] as const)('is not confirmed when the form %s', async (_, headers, status, reason) => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    const page = await openCode(site, userCode)

    await expectErrorPage(site, { send: () => confirm(site, page, { headers }), reason }, status)
    expect((await poll(site, deviceCode)).json['error']).toBe('authorization_pending')
  })

  it('is decided once, even if the form is sent in two windows', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    const [one, other] = [await openConsent(site, userCode), await openConsent(site, userCode)]

    const first = await answer(site, one, consentToAll)
    const second = await answer(site, other, 'deny')

    expect(first.status).toBe(200)
    expect([second.status, site.lastReason()]).toEqual([400, 'request_ended'])
    expect((await poll(site, deviceCode)).status).toBe(200)
  })

  it('cannot be approved once it has expired', async () => {
    const site = await startDeviceServer()
    const { userCode } = await askForCodes(site)
    const started = await openConsent(site, userCode)
    site.clock.advance(600)

    await expectErrorPage(site, {
      send: () => answer(site, started, consentToAll),
      reason: 'request_ended',
    })
  })
})
