import { afterAll, beforeAll, describe } from 'vitest'

import { adapters } from '../support/adapters.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { describeSuites } from './suites/suites.ts'

describe.each(adapters)('on $name', (adapter) => {
  let site: ServerUnderTest
  beforeAll(async () => {
    site = await startServer({}, adapter)
  })
  afterAll(() => site.close())

  describeSuites(() => site)
})
