import { vi } from 'vitest'

import type { ProbedServer } from '../support/probed-server.ts'

/** The work of a server for one flow, as counts that are the same on every machine. */
export interface Work {
  /** Storage calls, in order. */
  readonly storage: readonly string[]
  readonly signatures: number
  readonly verifications: number
  /** Public and private keys that were imported. */
  readonly keyImports: number
  /** SHA-256, including the digests inside an HMAC. */
  readonly digests: number
  /** Calls that return random bytes, which a server without the option `random` draws in blocks. */
  readonly randomDraws: number
}

/** Counts the server's work while the flow runs, without changing any call. */
export async function countWork(site: ProbedServer, flow: () => Promise<unknown>): Promise<Work> {
  const node = process.getBuiltinModule('node:crypto')
  const spies = {
    hash: vi.spyOn(node, 'hash'),
    sign: vi.spyOn(node, 'sign'),
    verify: vi.spyOn(node, 'verify'),
    webDigest: vi.spyOn(crypto.subtle, 'digest'),
    webSign: vi.spyOn(crypto.subtle, 'sign'),
    webVerify: vi.spyOn(crypto.subtle, 'verify'),
    importKey: vi.spyOn(crypto.subtle, 'importKey'),
    random: vi.spyOn(crypto, 'getRandomValues'),
  }
  site.probe.reset()
  try {
    await flow()
    return {
      storage: [...site.probe.calls],
      signatures: callsOf(spies.sign, spies.webSign),
      verifications: callsOf(spies.verify, spies.webVerify),
      keyImports: callsOf(spies.importKey),
      digests: callsOf(spies.hash, spies.webDigest),
      randomDraws: callsOf(spies.random),
    }
  } finally {
    for (const spy of Object.values(spies)) spy.mockRestore()
  }
}

const callsOf = (...spies: readonly { readonly mock: { readonly calls: readonly unknown[] } }[]): number =>
  spies.reduce((sum, { mock }) => sum + mock.calls.length, 0)
