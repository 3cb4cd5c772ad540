import { existsSync, readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

const guide = readFileSync('docs/how-to/mount-in-your-framework.md', 'utf8')

it('the mounting guide shows the programs as they are (mend with `pnpm readme`)', () => {
  const blocks = [...guide.matchAll(/^```ts (\S+)\n([\s\S]*?)```$/gm)]

  expect(blocks.map(([, file]) => file)).toEqual(['node', 'fastify', 'koa', 'hono', 'fetch', 'next-route'].map((name) => `examples/mounting/src/${name}.ts`))
  for (const [, file = '', code] of blocks) expect(code, file).toBe(readFileSync(file, 'utf8'))
})

it('every link of the mounting guide leads somewhere', () => {
  const links = [...guide.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => `docs/how-to/${target}`)

  expect(links.filter((target) => !existsSync(target))).toEqual([])
})

it("what the programs share is the README's thirty lines, but for the mounting", () => {
  const minimal = linesOf('examples/minimal/src/server.ts')
  const shared = linesOf('examples/mounting/src/authorization-server.ts')

  expect(shared.filter((line) => !minimal.includes(line))).toEqual([
    "import { findPerson, sealingKey } from '../../minimal/src/yours.ts'",
    "export const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'",
    'export const server = createAuthorizationServer({',
  ])
})

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n')
