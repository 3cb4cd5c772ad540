import type { Database } from '../database.ts'
import { compileStatement, type Parameter } from '../statement.ts'

/** Finds a claimed value, or a token that was ended by itself, until it expires. */
export const compileFindClaim = (query: Database['query']) =>
  compileStatement((p: Parameter<'issuer' | 'purpose' | 'value_digest' | 'now'>) =>
    query
      .selectFrom('mintmark_claims')
      .select('expires_at')
      .where('issuer', '=', p('issuer'))
      .where('purpose', '=', p('purpose'))
      .where('value_digest', '=', p('value_digest'))
      .where('expires_at', '>', p('now')),
  )
