import type { Database } from '../database.ts'
import { joinedTable } from '../joined-table.ts'
import { familyColumns } from '../rows/family-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

/** The statements that read or change a token family give its whole row. */
export const familyTable = joinedTable('mintmark_families', familyColumns)

type Presentation = 'issuer' | 'handle_digest' | 'client_id' | 'presented_digest' | 'now'

export function familyStatements({ query, engine }: Pick<Database, 'query' | 'engine'>) {
  return {
    insert: compileStatement((p: Parameter<(typeof familyColumns)[number]>) =>
      query
        .insertInto('mintmark_families')
        .values(parameters(p, familyColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('family_id'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'family_id'>) =>
      query
        .selectFrom('mintmark_families')
        .select('revoked_at')
        .where('issuer', '=', p('issuer'))
        .where('family_id', '=', p('family_id')),
    ),

    /** The row that a presentation may rotate, or revoke. */
    findRotatable: compileStatement((p: Parameter<Presentation>) =>
      query
        .selectFrom('mintmark_families')
        .select(engine.joined.select(familyTable))
        .where('issuer', '=', p('issuer'))
        .where('handle_digest', '=', p('handle_digest'))
        .where('client_id', '=', p('client_id'))
        .where('revoked_at', 'is', null)
        .where('refresh_expires_at', '>', p('now'))
        .where('expires_at', '>', p('now')),
    ),

    rotate: compileStatement((p: Parameter<Presentation | 'successor_digest' | 'successor_salt' | 'expires_at'>) =>
      rotatable({ query, engine }, p)
        .set((set) => ({
          previous_digest: set.ref('current_digest'),
          current_digest: p('successor_digest'),
          successor_salt: p('successor_salt'),
          rotated_at: p('now'),
          refresh_expires_at: p('expires_at'),
        }))
        .where('current_digest', '=', p('presented_digest')),
    ),

    // RFC 9700 §4.14.2: neither the current token nor, inside the window, the one before it. The premise is part of the
    // statement, so that a rotation in between makes it write nothing.
    revokeReused: compileStatement((p: Parameter<Presentation | 'closed_at'>) =>
      rotatable({ query, engine }, p)
        .set({ revoked_at: p('now') })
        .where('current_digest', '!=', p('presented_digest'))
        .where((where) =>
          where.or([
            where('previous_digest', 'is', null),
            where('previous_digest', '!=', p('presented_digest')),
            where('rotated_at', '<=', p('closed_at')),
          ]),
        ),
    ),

    revoke: compileStatement((p: Parameter<'issuer' | 'family_id' | 'now'>) =>
      query
        .updateTable('mintmark_families')
        .set({ revoked_at: p('now') })
        .where('issuer', '=', p('issuer'))
        .where('family_id', '=', p('family_id'))
        .where('revoked_at', 'is', null)
        .returning('family_id'),
    ),
  }
}

const rotatable = ({ query, engine }: Pick<Database, 'query' | 'engine'>, p: Parameter<Presentation>) =>
  query
    .updateTable('mintmark_families')
    .where('issuer', '=', p('issuer'))
    .where('handle_digest', '=', p('handle_digest'))
    .where('client_id', '=', p('client_id'))
    .where('revoked_at', 'is', null)
    .where('refresh_expires_at', '>', p('now'))
    .where('expires_at', '>', p('now'))
    .returning(engine.joined.select(familyTable))
