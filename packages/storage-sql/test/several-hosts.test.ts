import { Pool } from 'pg'
import { describe, expect, it } from 'vitest'

import { toPostgresDialect } from '../src/postgres/dialect.ts'

describe('a PostgreSQL pool', () => {
  it.each([
    { connectionString: 'postgres://mintmark:pa%2Css@db-1,db-2:5432/mintmark' },
    { connectionString: 'postgresql://db-1:5432,db-2:5433/mintmark?target_session_attrs=read-write' },
    { connectionString: 'postgres:///mintmark?user=mintmark&host=db-1,db-2' },
    { connectionString: 'postgres:///mintmark?host=db-1%2Cdb-2' },
    { host: 'db-1,db-2' },
  ])('that names several hosts is refused at start, without its password: %j', (options) => {
    const open = () => toPostgresDialect(new Pool(options))

    expect(open).toThrow(/^toPostgresDialect: the pool names several hosts.*one address that leads to the primary/)
    expect(open).not.toThrow(/pa%2Css|db-1/)
  })

  it.each([
    { connectionString: 'postgres://mintmark:pa,ss@db-1:5432/mintmark?application_name=a,b' },
    { connectionString: 'postgres://mintmark@db-1/mint,mark' },
    { host: '/run/a,b' },
    { host: 'db-1', password: 'a,b' },
    {},
  ])('that names one host is accepted: %j', async (options) => {
    await toPostgresDialect(new Pool(options)).close()
  })
})
