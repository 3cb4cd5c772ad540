import type { Pool } from 'pg'
import { RateLimiterPostgres } from 'rate-limiter-flexible'

/** Creates a counter in the database, which all nodes share. */
export const sharedCounter = (
  pool: Pool,
  { name, points, seconds }: { readonly name: string; readonly points: number; readonly seconds: number },
) =>
  new Promise<RateLimiterPostgres>((resolve, reject) => {
    const options = { storeClient: pool, tableName: 'rate_limits', keyPrefix: name, points, duration: seconds }
    const limiter = new RateLimiterPostgres(options, (error?: Error) => (error ? reject(error) : resolve(limiter)))
  })
