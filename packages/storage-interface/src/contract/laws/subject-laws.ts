import { revocationRetention } from '../../revocation.ts'
import type { CompleteOAuthStorage } from '../../storage.ts'
import { userId } from '../../values.ts'
import { aUser, now, nowPlus } from '../fixtures.ts'
import { atOnce, law, type StorageLaw, tally } from '../law.ts'

/** Pairwise subject identifiers (OIDC Core §8.1). */
export const subjectLaws: readonly StorageLaw<CompleteOAuthStorage>[] = [
  law(
    'subjects: of 8 concurrent assignments one succeeds, and all callers get its identifier',
    async ({ storage, server, same }) => {
      const results = await atOnce(8, (index) =>
        server(index).subjects.assign({ ...ofAda, subject: `candidate-${index}` }),
      )

      same(tally(results), { assigned: 1, unchanged: 7 }, 'outcomes')
      const assigned = new Set(results.map((result) => (result.outcome === 'taken' ? undefined : result.subject)))
      same(assigned.size, 1, 'the number of identifiers')
      const [subject = ''] = assigned
      same(await storage.subjects.find(sector, subject ?? ''), ada, 'the user of the identifier')
      same(await storage.subjects.assign(ofAda), { outcome: 'unchanged', subject }, 'a later call')
    },
  ),

  law('subjects: an identifier belongs to one user, and is taken for every other user', async ({ storage, same }) => {
    await storage.subjects.assign(ofAda)

    same(await storage.subjects.assign({ ...ofAda, userId: bob }), { outcome: 'taken' }, 'the same for another user')
    same(await storage.subjects.find(sector, ofAda.subject), ada, 'the user of the identifier')
    const other = { sector, userId: bob, subject: 'subject-2' }
    same(await storage.subjects.assign(other), { outcome: 'assigned', subject: 'subject-2' }, 'another one')
  }),

  law('subjects: an identifier is unknown in other sectors and at other issuers', async ({ storage, open, same }) => {
    const elsewhere = await open('https://other.example')
    await storage.subjects.assign(ofAda)

    same(await storage.subjects.find('other.example', ofAda.subject), undefined, 'in another sector')
    same(await elsewhere.subjects.find(sector, ofAda.subject), undefined, 'at another issuer')
    same(await storage.subjects.find(sector, 'unknown'), undefined, 'an identifier that was never assigned')
    const again = { ...ofAda, sector: 'other.example' }
    same((await storage.subjects.assign(again)).outcome, 'assigned', 'the same text in another sector')
  }),

  law(
    'subjects: the identifiers of a removed user are kept for revocationRetention, and then purged',
    async ({ storage, same }) => {
      await storage.users.insert(aUser({ userId: ada }))
      await storage.users.insert(aUser({ userId: bob }))
      await storage.subjects.assign(ofAda)
      await storage.subjects.assign({ sector, userId: bob, subject: 'subject-2' })
      await storage.users.remove(ada, now)

      await storage.purge.purgeExpired({ now: nowPlus(revocationRetention - 1), limit: 100 })
      same(await storage.subjects.find(sector, ofAda.subject), ada, 'one second before')
      await storage.purge.purgeExpired({ now: nowPlus(revocationRetention), limit: 100 })
      same(await storage.subjects.find(sector, ofAda.subject), undefined, 'after that')
      same(await storage.subjects.find(sector, 'subject-2'), bob, 'that of a user who was not removed')
    },
  ),
]

const sector = 'app.example'
const ada = userId('ada')
const bob = userId('bob')
const ofAda = { sector, userId: ada, subject: 'subject-1' }
