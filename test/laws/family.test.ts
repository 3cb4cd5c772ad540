import fc from 'fast-check'
import { expect, it } from 'vitest'

import { createFamilyWorld } from '../support/family-world.ts'
import { familyCommands, signIn } from './family-commands.ts'
import { emptyModel } from './family-model.ts'

it('law: no token is active after its family, grant, client or user was revoked', async () => {
  await fc.assert(
    fc.asyncProperty(familyCommands(), (commands) => fc.asyncModelRun(worldWithOneFamily, commands)),
    { numRuns: 60 },
  )

  expect.hasAssertions()
})

async function worldWithOneFamily() {
  const real = await createFamilyWorld()
  await real.createUser()
  const model = emptyModel(real.clock.now())
  await signIn.run(model, real)
  return { model, real }
}
