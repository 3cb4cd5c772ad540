import { revocationRetention } from '../revocation.ts'
import type { SubjectRecord, SubjectStore } from '../subject.ts'
import { after, type EpochSeconds, type UserId } from '../values.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

/** The key is the sector and the user. */
export type SubjectTable = ExpiringRows<string, SubjectRow>

interface SubjectRow extends SubjectRecord {
  /** Set when the user is removed. */
  readonly keptUntil: EpochSeconds | undefined
}

export const createSubjectTable = (): SubjectTable => createExpiringRows(({ keptUntil }) => keptUntil)

export function createMemorySubjects(subjects: SubjectTable, scheduler: SchedulerHook): SubjectStore {
  const find = (sector: string, subject: string): UserId | undefined =>
    [...subjects.rows.values()].find((row) => row.sector === sector && row.subject === subject)?.userId

  return {
    async assign(candidate) {
      await scheduler()
      const key = keyOf(candidate)
      const existing = subjects.get(key)
      if (existing !== undefined) return { outcome: 'unchanged', subject: existing.subject }
      if (find(candidate.sector, candidate.subject) !== undefined) return { outcome: 'taken' }

      subjects.set(key, frozenCopy({ ...candidate, keptUntil: undefined }))
      return { outcome: 'assigned', subject: candidate.subject }
    },

    async find(sector, subject) {
      await scheduler()
      return find(sector, subject)
    },
  }
}

/** Lets the identifiers of a removed user expire once no more messages about the removal can be sent. */
export function expireSubjects(subjects: SubjectTable, userId: UserId, now: EpochSeconds): void {
  for (const row of [...subjects.rows.values()].filter((each) => each.userId === userId))
    subjects.set(keyOf(row), { ...row, keptUntil: after(now, revocationRetention) })
}

const keyOf = ({ sector, userId }: SubjectRecord): string => JSON.stringify([sector, userId])
