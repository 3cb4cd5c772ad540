import { readFileSync, readdirSync } from 'node:fs'

import { expect, it } from 'vitest'

it('every example program mounts the server of authorization-server.ts', () => {
  const folder = 'examples/minimal/src'
  const programs = readdirSync(folder).filter((file) =>
    readFileSync(`${folder}/${file}`, 'utf8').includes('mintmark/adapter-'),
  )

  expect(programs.toSorted()).toEqual(['fastify.ts', 'fetch.ts', 'hono.ts', 'koa.ts', 'node.ts', 'server.ts'])
  for (const program of programs) {
    const code = readFileSync(`${folder}/${program}`, 'utf8')
    expect(code).toContain("server } from './authorization-server.ts'")
    expect(code).not.toContain('createAuthorizationServer')
  }
})
