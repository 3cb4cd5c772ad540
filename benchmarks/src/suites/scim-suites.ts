import { target, type Change, type Suite, type SuiteTarget } from './suite.ts'

const thousand: Change = { rows: 1000 }
const sqlite: Change = { storage: 'sqlite' }
const postgres: Change = { storage: 'postgres' }

/** A floor that stores documents as JSON text in an indexed table. */
export const scimFloor = (name: string, change: Change): SuiteTarget =>
  target(`floor, ${name}`, 'floor/scim-floor.ts', change)

/** A floor that does Mintmark's work: its statements on its tables, and the checks that SCIM requires. */
export const scimFloorOurWork = (name: string, change: Change): SuiteTarget =>
  target(`floor, our work, ${name}`, 'floor/scim-floor-our-work.ts', change)

export const scimMintmark = (name: string, change: Change): SuiteTarget =>
  target(`Mintmark, ${name}`, 'mintmark/mintmark-scim.ts', change)

const floorsAndMintmark = [
  scimFloor('SQLite', { ...thousand, ...sqlite }),
  scimFloorOurWork('SQLite', { ...thousand, ...sqlite }),
  scimMintmark('memory', thousand),
  scimMintmark('SQLite', { ...thousand, ...sqlite }),
]
const scimmyByIndex = target('scimmy, Map with an index by hand', 'peers/scimmy-indexed.ts', thousand)
const scimmy = target('scimmy, Map', 'peers/scimmy-scanning.ts', thousand)

/**
 * The requests of identity providers to a server with a thousand users. scimmy without an index is not in the suite of
 * pages, because a page takes half a second.
 */
export const scimSuites: readonly Suite[] = [
  {
    name: 'SCIM, requests',
    workloads: ['userName eq', 'PATCH active', 'POST user'],
    targets: [...floorsAndMintmark, scimmyByIndex, scimmy],
  },
  // Without peers: they scan all users, as they do for the filter by name.
  { name: 'SCIM, e-mail', workloads: ['work e-mail eq'], targets: floorsAndMintmark },
  { name: 'SCIM, pages', workloads: ['page of 100'], targets: [...floorsAndMintmark, scimmyByIndex] },
  {
    name: 'SCIM, PostgreSQL',
    workloads: ['userName eq', 'work e-mail eq', 'page of 100', 'PATCH active', 'POST user'],
    targets: [scimFloor, scimFloorOurWork, scimMintmark].map((of) => of('PostgreSQL', { ...thousand, ...postgres })),
  },
]
