import { execFileSync } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'

/** Runs the program in a process without Node's own modules and returns the JSON it prints. */
function runWithoutBuiltins(program: string): unknown {
  const script = `process.getBuiltinModule = undefined\n${program}`
  const args = ['--conditions=@mintmark/source', '--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' }))
}

it('computes the same digests by Web Crypto when Node’s modules are absent', () => {
  const found = runWithoutBuiltins(`
    const { digestSecret, hmacSha256 } = await import('./digest.ts')
    const { nodeCrypto } = await import('./node-crypto.ts')
    const mac = await hmacSha256(new Uint8Array(32).fill(7), new Uint8Array(3))
    console.log(JSON.stringify({ has: nodeCrypto !== undefined, digest: await digestSecret('dé'), mac: [...mac] }))
  `)

  const mac = createHmac('sha256', Buffer.alloc(32, 7)).update(Buffer.alloc(3)).digest()
  expect(found).toEqual({ has: false, digest: createHash('sha256').update('dé').digest('base64url'), mac: [...mac] })
})
