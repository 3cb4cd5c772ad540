import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { KeyVault } from '@mintmark/core'

import type { HsmAnswer, HsmRequest } from './hsm-messages.ts'

/** Keys that are kept in another process. */
export interface Hsm {
  readonly vault: KeyVault
  readonly pid: number | undefined
  /** How often it has signed. */
  readonly signatures: () => number
  readonly end: () => Promise<void>
}

type Question = HsmRequest extends infer Request ? (Request extends HsmRequest ? Omit<Request, 'id'> : never) : never

/**
 * Starts an HSM. Returns the vault through which a server reaches it: only `sign(bytes)` and public JWKs cross the
 * boundary.
 */
export function startHsm(): Hsm {
  const child = fork(fileURLToPath(new URL('hsm-process.ts', import.meta.url)), {
    execArgv: ['--conditions=@mintmark/source'],
  })
  const waiting = new Map<number, (answer: HsmAnswer) => void>()
  let asked = 0
  let signed = 0
  child.on('message', (answer: HsmAnswer) => waiting.get(answer.id)?.(answer))
  child.on('exit', () => waiting.forEach((resolve, id) => resolve({ id, failure: 'The HSM is gone.' })))

  const ask = async (question: Question): Promise<HsmAnswer> => {
    const id = (asked += 1)
    if (!child.connected) throw new Error('The HSM is gone.')
    const answer = await new Promise<HsmAnswer>((resolve) => {
      waiting.set(id, resolve)
      child.send({ ...question, id })
    })
    waiting.delete(id)
    if (answer.failure !== undefined) throw new Error(answer.failure)
    return answer
  }

  return {
    pid: child.pid,
    signatures: () => signed,
    vault: {
      async generate() {
        const { name = '', publicJwk = {} } = await ask({ kind: 'generate' })
        return { publicJwk, vaultEntry: name }
      },
      open: ({ vaultEntry }) =>
        Promise.resolve(async (bytes) => {
          const { signature = '' } = await ask({
            kind: 'sign',
            name: vaultEntry,
            bytes: Buffer.from(bytes).toString('base64'),
          })
          signed += 1
          return Buffer.from(signature, 'base64')
        }),
    },
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}
