import { expect, it, vi } from 'vitest'

import worker from '../template/frameworks/cloudflare-workers/code/worker.ts'

it('a Worker without an issuer answers 503, and says in the log what to set', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  const unused = { getByName: () => expect.unreachable() }

  const answer = await worker.fetch(new Request('https://id.example.com/'), { MINTMARK: unused, MINTMARK_ISSUER: '' })

  expect([answer.status, await answer.text()]).toEqual([503, 'The server is not set up.\n'])
  expect(log).toHaveBeenCalledWith(expect.stringContaining('Set MINTMARK_ISSUER in wrangler.jsonc'))
})
