import { execFileSync } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'

/** What the program prints as JSON, in a process that has no modules of Node's own to offer. */
function runWithoutBuiltins(program: string): unknown {
  const script = `process.getBuiltinModule = undefined\n${program}`
  const args = ['--conditions=@mintmark/source', '--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

it('design §3: where Node’s modules are missing, Web Crypto digests the same', () => {
  const found = runWithoutBuiltins(`
    const { digestSecret, hmacSha256 } = await import('./digest.ts')
    const { nodeCrypto } = await import('./node-crypto.ts')
    const mac = await hmacSha256(new Uint8Array(32).fill(7), new Uint8Array(3))
    console.log(JSON.stringify({ has: nodeCrypto !== undefined, digest: await digestSecret('dé'), mac: [...mac] }))
  `)

  const mac = createHmac('sha256', Buffer.alloc(32, 7)).update(Buffer.alloc(3)).digest()
  expect(found).toEqual({ has: false, digest: createHash('sha256').update('dé').digest('base64url'), mac: [...mac] })
})

it.for(['ES256', 'RS256', 'EdDSA'])(
  'design §3: where Node’s modules are missing, Web Crypto signs and verifies %s',
  (algorithm) => {
    const found = runWithoutBuiltins(`
    const { exportJWK, generateKeyPair } = await import('jose')
    const { signatureVerifier } = await import('../keys/signature.ts')
    const { webCryptoSigner } = await import('../keys/signature.ts')
    const pair = await generateKeyPair('${algorithm}', { extractable: true })
    const verify = await signatureVerifier({ keyId: 'k', algorithm: '${algorithm}', jwk: await exportJWK(pair.publicKey) })
    const message = new TextEncoder().encode('header.payload')
    const signature = await webCryptoSigner('k', '${algorithm}', pair.privateKey).sign(message)
    console.log(JSON.stringify([await verify(signature, message), await verify(signature.with(0, signature[0] ^ 1), message)]))
  `)

    expect(found).toEqual([true, false])
  },
)
