import { userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { answerInteraction, authorize, redeem } from '../support/flow.ts'
import { obtainRequestUri, signInAndConsent, visitPushed } from '../support/pushed-requests.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// A browser that sends a form twice shows only the last response.
let site: ServerUnderTest

beforeEach(async () => {
  site = await startServer()
})

afterEach(() => site.close())

const allow = 'scope=openid&scope=profile'
const started = () => authorize(site, {}, { cookie: '' })
const signIn = (from: Reply, consent = `&${allow}`) =>
  answerInteraction(site, from, `subject=U1&auth_time=${site.clock.now()}${consent}`)

describe('a decision that is sent again', () => {
  it.each([
    ['on the page for consent', async (from: Reply) => (await signIn(from, ''), answerInteraction(site, from, allow))],
    ['on the page for sign-in', (from: Reply) => signIn(from)],
  ])('gets the same code, which the client redeems once (%s)', async (_, decide) => {
    const from = await started()

    const first = await decide(from)
    const second = await decide(from)

    expect(second.header('location')).toBe(first.header('location'))
    expect(site.events.filter(({ type }) => type === 'code.issued')).toHaveLength(1)
    const code = second.location.searchParams.get('code') ?? ''
    expect((await redeem(site, code)).status).toBe(200)
    expect((await redeem(site, code)).json).toMatchObject({ error: 'invalid_grant' })
  })

  it('gets the same code for a pushed request', async () => {
    const from = await visitPushed(site, await obtainRequestUri(site))

    const first = await signInAndConsent(site, from)
    const second = await signInAndConsent(site, from)

    expect(second.location.searchParams.get('code')).toBe(first.location.searchParams.get('code') ?? 'no code')
  })

  it('gets the same code when it arrives after the interaction was completed and before its code is stored', async () => {
    const { storage, isCompleted } = storageThatWaits()
    const slow = await startServer({ storage })
    onTestFinished(() => slow.close())
    const from = await authorize(slow, {}, { cookie: '' })
    const decide = () => answerInteraction(slow, from, `subject=U1&auth_time=${slow.clock.now()}&${allow}`)

    const first = decide()
    await isCompleted
    const second = await decide()

    expect(second.location.searchParams.get('code')).not.toBeNull()
    expect(second.header('location')).toBe((await first).header('location'))
  })

  it('gets the same denial, which is reported once', async () => {
    const from = await started()
    await signIn(from, '')

    const first = await answerInteraction(site, from, 'deny=1')
    const second = await answerInteraction(site, from, 'deny=1')

    expect(second.location.searchParams.get('error')).toBe('access_denied')
    expect(second.header('location')).toBe(first.header('location'))
    expect(site.events.filter(({ type }) => type === 'interaction.denied')).toHaveLength(1)
  })

  it.each([
    ['was redeemed', (code: string) => redeem(site, code)],
    ['has expired', () => Promise.resolve(site.clock.advance(61))],
  ])('is refused when its code %s (RFC 6749 §4.1.2)', async (_, end) => {
    const from = await started()
    const first = await signIn(from)
    await end(first.location.searchParams.get('code') ?? '')
    const before = site.dump()

    const second = await signIn(from)

    expect([second.status, site.lastReason()]).toEqual([400, 'interaction_unknown'])
    expect(site.dump()).toBe(before)
  })

  it.each([
    ['denies what was allowed', 'deny=1'],
    ['allows less', 'scope=openid'],
  ])('is refused when it is another decision: it %s (RFC 6749 §4.1.2)', async (_, other) => {
    const from = await started()
    await signIn(from, '')
    await answerInteraction(site, from, allow)

    const second = await answerInteraction(site, from, other)

    expect([second.status, site.lastReason()]).toEqual([400, 'interaction_completed'])
  })

  it('is refused when another user makes it (RFC 6749 §4.1.2)', async () => {
    const from = await started()
    await signIn(from)
    await site.storage.users.insert({ userId: userId('U4'), claims: {}, createdAt: site.clock.now() })

    const second = await answerInteraction(site, from, `subject=U4&auth_time=${site.clock.now()}&${allow}`)

    expect([second.status, site.lastReason()]).toEqual([400, 'interaction_completed'])
  })

  it('is refused when it allows what was denied (RFC 6749 §4.1.2)', async () => {
    const from = await started()
    await signIn(from, '')
    await answerInteraction(site, from, 'deny=1')

    const second = await answerInteraction(site, from, allow)

    expect([second.status, site.lastReason()]).toEqual([400, 'interaction_completed'])
  })
})

/** Returns a storage that stores a code only after somebody has looked for it. */
function storageThatWaits() {
  const storage = createMemoryStorage({ issuer: site.issuer })
  const { codes } = storage
  let complete = () => {}
  let look = () => {}
  const isCompleted = new Promise<void>((resolve) => (complete = resolve))
  const hasLooked = new Promise<void>((resolve) => (look = resolve))
  const waiting: typeof codes = {
    ...codes,
    async insert(code) {
      complete()
      await hasLooked
      return codes.insert(code)
    },
    async find(...of) {
      const found = await codes.find(...of)
      look()
      return found
    },
  }
  return { storage: { ...storage, codes: waiting }, isCompleted }
}
