import { systemRandom } from '@mintmark/internal'
import { epochSeconds } from '@mintmark/storage-interface'
import { anInteractionRecord } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { issuer, publishedKeyIds, schedule, signingKeyId } from '../../test/ring-under-test.ts'
import { createInteractionSeal } from '../authorize/sealed-interaction.ts'

import type { SealingSecrets } from './sealing.ts'
import { createStoredKeys, type StoredKeyRing } from './stored-keys.ts'

const [before, after] = ['A'.repeat(43), `${'B'.repeat(42)}A`]

/** The steps in docs/how-to/rotate-keys.md. While a step is rolled out, every node has the value before or after the step. */
const steps: readonly SealingSecrets[] = [before, [before, after], [after, before], after]

/** Two nodes over one storage, at a time that the test sets. */
function twoNodes(secrets: readonly [SealingSecrets, SealingSecrets]) {
  const storage = createMemoryStorage({ issuer })
  const clock = { now: 1_790_000_000 }
  const startNode = (sealingKey: SealingSecrets): StoredKeyRing =>
    createStoredKeys({
      storage,
      sealingKey,
      algorithms: ['ES256'],
      schedule: { ...schedule, staleness: 0 },
      clock: () => epochSeconds(clock.now),
    })
  return { clock, startNode, nodes: secrets.map(startNode) as unknown as readonly [StoredKeyRing, StoredKeyRing] }
}

/** Whether a sign-in that started at one node can be completed at the other. */
async function completesSignIn(start: StoredKeyRing, end: StoredKeyRing): Promise<boolean> {
  const [sealing, opening] = [start, end].map((keys) => createInteractionSeal({ issuer, keys, random: systemRandom }))
  const handle = await sealing?.seal({
    interaction: anInteractionRecord(),
    document: undefined,
    sessionAuthTime: undefined,
  })
  return (await opening?.open(handle ?? '')) !== undefined
}

/** Rotates at one node until its key signs, and expects both nodes to publish and use the same keys throughout. */
async function rotateAt(
  node: StoredKeyRing,
  { nodes: [first, second], clock }: Pick<ReturnType<typeof twoNodes>, 'nodes' | 'clock'>,
): Promise<void> {
  await node.rotate({ when: 'now' })
  for (const time of [0, schedule.announce, schedule.retire]) {
    clock.now += time
    expect(await publishedKeyIds(second)).toEqual(await publishedKeyIds(first))
    expect(await signingKeyId(second)).toBe(await signingKeyId(first))
  }
}

describe('a new sealing key', () => {
  it('reaches every node in three steps; meanwhile, all nodes use the same keys and complete the sign-ins of each other', async () => {
    const { clock, startNode } = twoNodes([before, before])
    await startNode(before).publicKeys()

    for (const [step, secret] of steps.slice(1).entries()) {
      // The last step waits until the keys that the earlier sealing key sealed were dropped.
      const nodes = [startNode(steps[step] ?? before), startNode(secret)] as const
      for (const node of nodes) {
        await node.ready()
        await rotateAt(node, { nodes, clock })
      }
      expect(await completesSignIn(nodes[0], nodes[1])).toBe(true)
      expect(await completesSignIn(nodes[1], nodes[0])).toBe(true)
    }

    await expect(startNode(before).ready()).rejects.toMatchObject({ name: 'SealingKeyError' })
  })

  it('must not be used for sealing before every node has it: others neither publish the new key nor complete the sign-in', async () => {
    const { clock, nodes } = twoNodes([before, [after, before]])
    const [old, both] = nodes
    await old.publicKeys()
    clock.now += 1

    await both.rotate({ when: 'now' })

    expect(await publishedKeyIds(old)).toHaveLength(1)
    expect(await publishedKeyIds(both)).toHaveLength(2)
    expect(await completesSignIn(both, old)).toBe(false)
  })
})
