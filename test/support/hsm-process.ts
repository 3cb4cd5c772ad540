// An HSM as a server sees it: a process that creates keys, signs with them, and never reveals a private key. It
// communicates over the channel of `child_process.fork`.
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

import type { HsmAnswer, HsmRequest } from './hsm-messages.ts'

const keys = new Map<string, KeyObject>()

process.on('message', (request: HsmRequest) => {
  process.send?.({ ...answer(request), id: request.id } satisfies HsmAnswer)
})

function answer(request: HsmRequest): Omit<HsmAnswer, 'id'> {
  if (request.kind === 'generate') {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const name = `hsm-key-${keys.size + 1}`
    keys.set(name, privateKey)
    return { name, publicJwk: publicKey.export({ format: 'jwk' }) as Readonly<Record<string, string>> }
  }
  const key = keys.get(request.name)
  if (key === undefined) return { failure: `There is no key ${request.name}.` }
  const signature = sign('sha256', Buffer.from(request.bytes, 'base64'), { key, dsaEncoding: 'ieee-p1363' })
  return { signature: signature.toString('base64') }
}
