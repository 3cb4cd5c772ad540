import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { KeyVault } from '@mintmark/core'

import type { HsmAnswer, HsmRequest } from './hsm-messages.ts'

/** A process that holds private keys, and the vault that uses them. */
export interface Hsm {
  readonly vault: KeyVault
  readonly pid: number | undefined
  /** The number of signatures that it has made. */
  readonly signatures: () => number
  readonly stop: () => Promise<void>
}

type RequestWithoutId = HsmRequest extends infer Request
  ? Request extends HsmRequest
    ? Omit<Request, 'id'>
    : never
  : never

/**
 * Starts an HSM process. A server reaches it through the vault. Only public keys, bytes to sign and signatures pass
 * between the processes.
 */
export function startHsm(): Hsm {
  const child = fork(fileURLToPath(new URL('hsm-process.ts', import.meta.url)), {
    execArgv: ['--conditions=@mintmark/source'],
  })
  const waiting = new Map<number, (answer: HsmAnswer) => void>()
  let requestCount = 0
  let signatureCount = 0
  child.on('message', (answer: HsmAnswer) => waiting.get(answer.id)?.(answer))
  child.on('exit', () => waiting.forEach((resolve, id) => resolve({ id, failure: 'The HSM process has ended.' })))

  const ask = async (question: RequestWithoutId): Promise<HsmAnswer> => {
    const id = (requestCount += 1)
    if (!child.connected) throw new Error('The HSM process has ended.')
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
    signatures: () => signatureCount,
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
          signatureCount += 1
          return Buffer.from(signature, 'base64')
        }),
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}
