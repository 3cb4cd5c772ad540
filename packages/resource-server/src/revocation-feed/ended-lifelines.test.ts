import { describe, expect, it } from 'vitest'

import { digest } from '../runtime/digest.ts'
import { endedLifelines, type Revocation } from './ended-lifelines.ts'
import type { Lifelines } from './lifelines.ts'

const now = 1_000_000
const person = { subject: 'U1', generation: 3, family: 'f', grant: 'g' }
const ofPerson: Lifelines = { token: 't', client: 'c', person }
const ofService: Lifelines = { token: 't', client: 'c', person: undefined }

const isEnded = async (endings: readonly Revocation[], lifelines = ofPerson, at = now): Promise<boolean> => {
  const ended = endedLifelines()
  ended.add(endings, now)
  return ended.hasOneOf(lifelines, at)
}

const account = await digest('U1')

describe('what has ended', () => {
  it.each<Revocation>([
    ['token', 't', 2000],
    ['client', 'c', 2000],
    ['family', 'f', 2000],
    ['grant', 'g', 2000],
    ['account', account, 2000],
    ['account', `${account}.3`, 2000],
  ])('design §4: %s %s ends the token of a person', async (...ending) => {
    expect(await isEnded([ending])).toBe(true)
  })

  it.each<Revocation>([
    ['token', 'other', 2000],
    ['client', 't', 2000],
    ['family', 'g', 2000],
    ['account', 'U1', 2000],
    ['account', `${account}.2`, 2000],
    ['account', `${account}.4`, 2000],
    ['account', `${account}.33`, 2000],
  ])('design §4: %s %s ends another', async (...ending) => {
    expect(await isEnded([ending])).toBe(false)
  })

  it('a client that acts for itself has no account, no family and no grant', async () => {
    expect(
      await isEnded(
        [
          ['family', 'f', 2000],
          ['grant', 'g', 2000],
          ['account', account, 2000],
        ],
        ofService,
      ),
    ).toBe(false)
    expect(await isEnded([['client', 'c', 2000]], ofService)).toBe(true)
  })

  it('is forgotten when no token could depend on it any more', async () => {
    expect([await isEnded([['token', 't', 1001]]), await isEnded([['token', 't', 1001]], ofPerson, 1_001_000)]).toEqual(
      [true, false],
    )
  })

  it('what is told later counts: a client that is in use again', async () => {
    expect(
      await isEnded([
        ['client', 'c', 2000],
        ['client', 'c', 0],
      ]),
    ).toBe(false)
    expect(
      await isEnded([
        ['client', 'c', 0],
        ['client', 'c', 2000],
      ]),
    ).toBe(true)
  })

  it('names that objects have are names like any other', async () => {
    expect(await isEnded([['token', '__proto__', 2000]])).toBe(false)
    expect(await isEnded([['token', '__proto__', 2000]], { ...ofService, token: '__proto__' })).toBe(true)
  })
})
