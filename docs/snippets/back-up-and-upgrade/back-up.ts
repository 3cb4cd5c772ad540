import { backup, DatabaseSync } from 'node:sqlite'

/** Copies the database as it is at one moment, while servers go on. Copying the file itself would miss what lies in the log beside it. */
export async function backUp(file: string, target: string): Promise<void> {
  const database = new DatabaseSync(file, { readOnly: true })
  await backup(database, target)
  database.close()
}
