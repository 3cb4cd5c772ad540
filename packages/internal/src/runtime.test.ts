import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { epochSeconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'
import {
  datedIdentifier,
  digestSecret,
  drawInBlocks,
  hmacSha256,
  randomIdentifier,
  randomIdentifiers,
  randomSecret,
  randomSecretAndIdentifier,
  sha256,
  systemRandom,
} from './runtime.ts'

it('creates a secret from 256 bits of the random source (RFC 6749 §10.10)', () => {
  const byteCounts: number[] = []
  const secret = randomSecret((byteCount) => {
    byteCounts.push(byteCount)
    return Uint8Array.from({ length: byteCount }, (_, at) => at)
  })

  expect(byteCounts).toEqual([32])
  expect([...Buffer.from(secret, 'base64url')]).toEqual(Array.from({ length: 32 }, (_, at) => at))
})

it('creates a secret that shares no byte with the identifier drawn with it (RFC 6749 §10.10)', () => {
  const { secret, identifier } = randomSecretAndIdentifier((byteCount) =>
    Uint8Array.from({ length: byteCount }, (_, at) => at),
  )
  const bytes = [...Buffer.from(secret, 'base64url'), ...Buffer.from(identifier, 'base64url')]

  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  expect(bytes).toEqual(Array.from({ length: 48 }, (_, at) => at))
})

it('creates dated identifiers that sort by their second, whatever the random part is', () => {
  const seconds = [0, 1, 35, 36, 1_795_976_117, 2_176_782_335, 2_176_782_336]
  const identifiers = seconds.map((now, at) =>
    datedIdentifier(
      randomIdentifier(() => new Uint8Array(16).fill(9 - at)),
      now,
    ),
  )

  expect(identifiers.toSorted()).toEqual(identifiers)
  expect(identifiers.every((identifier) => /^[0-9a-z]{7}[\w-]{15}$/.test(identifier))).toBe(true)
})

it("draws no value twice from the system's random source", () => {
  const drawn = Array.from({ length: 1000 }, () => [randomSecret(systemRandom), randomIdentifier(systemRandom)]).flat()

  expect(new Set(drawn).size).toBe(2000)
})

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

it('computes the SHA-256 of a string from its UTF-8 bytes (FIPS 180-4)', async () => {
  const ofText = await sha256('déjà vu')
  const ofBytes = await sha256(new TextEncoder().encode('déjà vu'))

  expect(hex(ofText)).toBe(createHash('sha256').update('déjà vu').digest('hex'))
  expect(hex(ofBytes)).toBe(hex(ofText))
})

it('hashes a secret to the base64url of its SHA-256', async () => {
  const digest = await digestSecret('s3cret')

  expect(digest).toBe(createHash('sha256').update('s3cret').digest('base64url'))
})

it('computes the HMAC-SHA-256 of test case 2 (RFC 4231 §4.3)', async () => {
  const mac = await hmacSha256(
    new TextEncoder().encode('Jefe'),
    new TextEncoder().encode('what do ya want for nothing?'),
  )

  expect(hex(mac)).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
})

it('law: HMAC-SHA-256 follows its definition for any key up to a block (RFC 2104 §2)', async () => {
  const key = fc.uint8Array({ maxLength: 64 })

  await fc.assert(
    fc.asyncProperty(key, fc.uint8Array({ maxLength: 200 }), async (key, message) => {
      expect(hex(await hmacSha256(key, message))).toBe(createHmac('sha256', key).update(message).digest('hex'))
    }),
  )
})

it('rejects a key longer than a block (RFC 2104 §2)', async () => {
  expect(() => hmacSha256(new Uint8Array(65), new Uint8Array())).toThrow(TypeError)
})

/** Runs the program in a process without Node's own modules and returns the JSON it prints. */
function runWithoutBuiltins(program: string): unknown {
  const script = `process.getBuiltinModule = undefined\n${program}`
  const args = ['--conditions=@mintmark/source', '--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

it('computes the same digests with Web Crypto when Node’s modules are absent', () => {
  const output = runWithoutBuiltins(`
    const { digestSecret, hmacSha256, nodeCrypto } = await import('./runtime.ts')
    const mac = await hmacSha256(new Uint8Array(32).fill(7), new Uint8Array(3))
    console.log(JSON.stringify({ has: nodeCrypto !== undefined, digest: await digestSecret('dé'), mac: [...mac] }))
  `)

  const mac = createHmac('sha256', Buffer.alloc(32, 7)).update(Buffer.alloc(3)).digest()
  expect(output).toEqual({ has: false, digest: createHash('sha256').update('dé').digest('base64url'), mac: [...mac] })
})

it('draws identifiers in blocks, and none of them twice', () => {
  let draws = 0
  const next = randomIdentifiers((length) => {
    draws += 1
    return systemRandom(length)
  })

  const identifiers = Array.from({ length: 257 }, next)

  expect(new Set(identifiers).size).toBe(257)
  expect(identifiers.every((identifier) => /^[A-Za-z0-9_-]{22}$/.test(identifier))).toBe(true)
  expect(draws).toBe(3)
})

describe('a random source that draws in blocks', () => {
  const aSource = () => {
    const blocks: Uint8Array[] = []
    let now = 1000
    const random = drawInBlocks(
      (length) => {
        const block = systemRandom(length)
        // A copy, because the source clears what it has returned.
        blocks.push(block.slice())
        return block
      },
      () => epochSeconds(now),
    )
    return { random, blocks, wait: () => (now += 1) }
  }

  it('returns each byte of a block once', () => {
    const { random, blocks } = aSource()

    const returned = Array.from({ length: 100 }, (_, at) => random(at % 2 === 0 ? 32 : 64))

    const drawn = blocks.map((block) => Buffer.from(block).toString('hex'))
    const places = returned.map((bytes) => {
      const text = Buffer.from(bytes).toString('hex')
      const block = drawn.findIndex((each) => each.includes(text))
      const at = drawn[block]?.indexOf(text) ?? -1
      return { block, from: at, to: at + text.length }
    })
    expect(drawn).toHaveLength(5)
    for (const [index, { block, from, to }] of places.entries()) {
      expect(block).not.toBe(-1)
      const others = places.filter((other, at) => at !== index && other.block === block)
      expect(others.filter((other) => other.from < to && from < other.to)).toEqual([])
    }
  })

  it('draws a new block in each second, so that two copies of a process do not share one', () => {
    const { random, blocks, wait } = aSource()
    random(32)
    random(32)
    wait()
    const later = random(32)

    expect(blocks).toHaveLength(2)
    expect(Buffer.from(blocks[0] ?? []).includes(Buffer.from(later))).toBe(false)
  })

  it('removes from the block what it returns', () => {
    let block: Uint8Array = new Uint8Array()
    const random = drawInBlocks(
      (length) => (block = new Uint8Array(length).fill(7)),
      () => epochSeconds(1000),
    )

    const returned = random(48)

    expect([...returned]).toEqual(Array.from({ length: 48 }, () => 7))
    expect([...block.subarray(0, 49)]).toEqual([...Array.from({ length: 48 }, () => 0), 7])
  })

  it('draws more than 64 bytes separately', () => {
    const { random, blocks } = aSource()

    expect(random(65)).toHaveLength(65)
    expect(blocks.map(({ length }) => length)).toEqual([65])
  })
})

it('law: a generated secret or identifier begins with a letter or a digit, and keeps all other bytes', () => {
  const firstByte = fc.oneof(fc.integer({ min: 0xf0, max: 0xff }), fc.integer({ min: 0, max: 0xff }))
  const drawn = fc.tuple(firstByte, fc.uint8Array({ minLength: 47, maxLength: 47 }))

  fc.assert(
    fc.property(drawn, ([first, rest]) => {
      const random = (length: number): Uint8Array => Uint8Array.of(first, ...rest).subarray(0, length)
      const created = [
        randomSecret(random),
        randomIdentifier(random),
        randomIdentifiers((length) => new Uint8Array(length).fill(first))(),
        randomSecretAndIdentifier(random).secret,
        randomSecretAndIdentifier(() => Uint8Array.of(...rest.subarray(0, 32), first, ...rest.subarray(32))).identifier,
      ]

      for (const text of created) expect(text).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]+$/)
      expect([...Buffer.from(created[0] ?? '', 'base64url').subarray(1)]).toEqual([...rest.subarray(0, 31)])
    }),
  )
})
