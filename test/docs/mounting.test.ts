import { readFileSync } from 'node:fs'

import { expect, it } from 'vitest'

it("the example programs share the README's code except for the mounting", () => {
  const minimal = linesOf('examples/minimal/src/server.ts')
  const shared = linesOf('examples/mounting/src/authorization-server.ts')

  expect(shared.filter((line) => !minimal.includes(line))).toEqual([
    "import { findPerson, sealingKey } from '../../minimal/src/yours.ts'",
    "export const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'",
    'export const server = createAuthorizationServer({',
  ])
})

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n')
