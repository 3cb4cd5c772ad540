import { epochSeconds, seconds, type OAuthStorage } from '@mintmark/storage-interface'
import { createSqlStorage } from '@mintmark/storage-sql'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { engines } from '../../packages/storage-sql/test/support/migrated-dialects.ts'
import { readFeed, type FeedPage } from '../../packages/core/src/tokens/feed-page.ts'
import { rounds } from '../support/rounds.ts'

const day = 86_400
const lifetime = 600
/** As core computes it: five minutes longer than a token lives. */
const retention = seconds(lifetime + 300)
const noNames = { ofUser: () => Promise.resolve([]), ofClient: () => Promise.resolve([]) }

/** Servers with a common storage, whose clocks may be ahead, and the tokens that a server with a right clock issues. */
function aWorld({ revocations }: OAuthStorage, run = 0) {
  // After ten days, the entries of an earlier run matter to nobody.
  const world = { now: 1_790_000_000 + 10 * run * day }
  const tokens: Token[] = []
  const clockOf = (ahead: number) => epochSeconds(world.now + ahead)

  const issue = (): Token => {
    const token = { tokenId: `t${run}.${tokens.length}`, issuedAt: world.now, revoked: false }
    tokens.push(token)
    return token
  }
  const revoke = async (token: Token, ahead: number): Promise<void> => {
    const { tokenId } = token
    await revocations.revokeToken({ tokenId, expiresAt: epochSeconds(world.now + lifetime), now: clockOf(ahead) })
    token.revoked = true
  }
  const readPage = (cursor: string | undefined, ahead: number): Promise<FeedPage> =>
    readFeed(cursor, clockOf(ahead), { revocations, retention, names: noNames })

  return { world, tokens, issue, revoke, aReceiver: () => createReceiver(readPage) }
}

interface Token {
  readonly tokenId: string
  readonly issuedAt: number
  revoked: boolean
}

/** A receiver whose clock is right. */
function createReceiver(readPage: (cursor: string | undefined, ahead: number) => Promise<FeedPage>) {
  const known = new Map<string, number>()
  let cursor: string | undefined

  /** Reads from a server to the end of the feed. */
  const read = async (ahead: number): Promise<FeedPage> => {
    const page = await readPage(cursor, ahead)
    for (const [, name, until] of page.revocations) known.set(name, until)
    cursor = page.cursor
    return page.more ? read(ahead) : page
  }
  /** Whether it accepts a token after a page. */
  const accepts = ({ tokenId, issuedAt }: Token, { coversAfter }: FeedPage, now: number): boolean =>
    now < issuedAt + lifetime && issuedAt > coversAfter && (known.get(tokenId) ?? 0) <= now

  return { read, accepts }
}

const openStorage = async (open: (typeof engines)[number]['open']): Promise<OAuthStorage> =>
  createSqlStorage({ dialect: await open(), issuer: 'https://as.test' })

describe.each(engines)('the revocation feed on $name, with a server whose clock was a day ahead', ({ open }) => {
  it('has, for a receiver that begins after the clock was corrected, the revocations before, during and after', async () => {
    const { world, issue, revoke, aReceiver } = aWorld(await openStorage(open))
    const [before, during, after] = [issue(), issue(), issue()]
    await revoke(before, 0)
    await revoke(during, day)
    await revoke(after, 0)
    world.now += 60
    const receiver = aReceiver()

    const page = await receiver.read(0)

    expect(page.revocations.map(([, name, until]) => [name, until - world.now])).toEqual([
      [before.tokenId, retention],
      [during.tokenId, retention],
      [after.tokenId, retention],
    ])
    expect(page.coversAfter).toBe(world.now - retention + 60)
  })

  it('has, for a receiver that began while the clock was wrong, the revocations that its first page left out', async () => {
    const { world, issue, revoke, aReceiver } = aWorld(await openStorage(open))
    const [before, during] = [issue(), issue()]
    const receiver = aReceiver()
    await revoke(before, 0)
    await revoke(during, day)
    const first = await receiver.read(day)
    world.now += 60

    const second = await receiver.read(0)
    const third = await receiver.read(0)

    expect(first.revocations.map(([, name]) => name)).toEqual([during.tokenId])
    expect(first.coversAfter).toBeGreaterThan(world.now)
    expect(second.revocations.map(([, name]) => name)).toEqual([before.tokenId, during.tokenId])
    expect(third).toMatchObject({ revocations: [], more: false, coversAfter: world.now - retention + 60 })
  })

  it('delivers, to a receiver that continues, each revocation once, whichever server it reads from', async () => {
    const { issue, revoke, aReceiver } = aWorld(await openStorage(open))
    const receiver = aReceiver()
    const delivered: string[] = []
    await revoke(issue(), 0)
    await receiver.read(0)

    for (const ahead of [day, 0, 30, 0, day, 0]) {
      await revoke(issue(), ahead)
      delivered.push(...(await receiver.read(ahead)).revocations.map(([, name]) => name))
    }

    expect(delivered).toEqual(['t0.1', 't0.2', 't0.3', 't0.4', 't0.5', 't0.6'])
  })

  it('law: no receiver accepts a revoked token, and a server whose clock is right covers every living token', async () => {
    const storage = await openStorage(open)
    let count = 0
    const run = async (steps: readonly Step[]): Promise<void> => {
      const { world, tokens, issue, revoke, aReceiver } = aWorld(storage, (count += 1))
      const receivers = [aReceiver(), aReceiver()]
      for (const step of steps) {
        if (step.kind === 'wait') world.now += step.seconds
        if (step.kind === 'revoke') await revoke(issue(), step.ahead)
        const receiver = step.kind === 'read' ? receivers[step.by] : undefined
        if (step.kind !== 'read' || receiver === undefined) continue
        const page = await receiver.read(step.ahead)
        expect(tokens.filter((token) => token.revoked && receiver.accepts(token, page, world.now))).toEqual([])
        if (step.ahead === 0) expect(page.coversAfter).toBeLessThan(world.now - lifetime)
      }
    }

    const steps = fc.array(aStep, { minLength: 3, maxLength: 20 })
    await fc.assert(fc.asyncProperty(steps, run), { numRuns: rounds({ fast: 20, long: 200 }) })
  })
})

type Step =
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'revoke'; readonly ahead: number }
  | { readonly kind: 'read'; readonly ahead: number; readonly by: number }

const ahead = fc.constantFrom(0, 0, 30, 90, 3600, day)

const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('wait'), seconds: fc.nat(300) }),
  fc.record({ kind: fc.constant('revoke'), ahead }),
  fc.record({ kind: fc.constant('read'), ahead, by: fc.nat(1) }),
)
