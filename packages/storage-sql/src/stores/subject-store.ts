import { userId } from '@mintmark/storage-interface'
import { subjects } from '@mintmark/storage-interface/records'
import { type SubjectStore, untilSettled } from '@mintmark/storage-interface/stores'

import { compileLookup, type Database, type Parameter } from '../database.ts'
import { recordTable } from '../record-table.ts'
import { createColumnReader } from '../row.ts'

export function createSubjectStore(database: Database): SubjectStore {
  const { engine, query, run } = database
  const table = recordTable(database, subjects)
  const columns = createColumnReader(engine)
  const findSubject = compileLookup((p: Parameter<'issuer' | 'sector' | 'user_id'>) =>
    query
      .selectFrom('mintmark_subjects')
      .select('subject')
      .where('issuer', '=', p('issuer'))
      .where('sector', '=', p('sector'))
      .where('user_id', '=', p('user_id')),
  )
  const findUser = compileLookup((p: Parameter<'issuer' | 'sector' | 'subject'>) =>
    query
      .selectFrom('mintmark_subjects')
      .select('user_id')
      .where('issuer', '=', p('issuer'))
      .where('sector', '=', p('sector'))
      .where('subject', '=', p('subject')),
  )

  return {
    async assign(candidate) {
      const { sector, subject } = candidate
      return untilSettled(async () => {
        // Reads first, because almost every call is for a user who already has a subject.
        const [existing] = await run(findSubject, { sector, user_id: candidate.userId })
        if (existing !== undefined) return { outcome: 'unchanged', subject: columns.text(existing, 'subject') }
        if (await table.insert(candidate)) return { outcome: 'assigned', subject }

        const [holder] = await run(findUser, { sector, subject })
        const belongsToAnother = holder !== undefined && columns.text(holder, 'user_id') !== candidate.userId
        return belongsToAnother ? { outcome: 'taken' } : undefined
      })
    },

    async find(sector, subject) {
      const [row] = await run(findUser, { sector, subject })
      return row === undefined ? undefined : userId(columns.text(row, 'user_id'))
    },
  }
}
