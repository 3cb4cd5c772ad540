import { afterAll, beforeAll, describe } from 'vitest'

import { adapters } from '../support/adapters.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { describeSuites } from './suites/suites.ts'

describe.each(adapters)('on $name', (adapter) => {
  let under: ServerUnderTest
  beforeAll(async () => {
    under = await startServer({}, adapter)
  })
  afterAll(() => under.close())

  describeSuites(() => under)
})
