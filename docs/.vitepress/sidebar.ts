import { existsSync } from 'node:fs'

import { generateSidebar } from 'vitepress-sidebar'

/** A section of the sidebar. */
interface Section {
  readonly text: string
  readonly collapsed?: boolean
  readonly items: Item[]
}

interface Item {
  readonly text: string
  /** The path of the page, from the root of the site. */
  readonly link: string
}

/** The guides by reader, in reading order. A guide that no group names is listed under `Build`. */
const groups = {
  'APIs and MCP': `protect-an-api let-mcp-clients-in roles-and-organizations groups-in-id-tokens machine-to-machine deploy-keys-without-secrets agents-on-behalf-of-users ask-a-person-before-an-agent-acts
    let-clients-register developer-portal connect-applications browser-and-mobile-apps sign-in-a-cli-or-a-tv dpop-for-browser-apps mtls-behind-a-proxy rich-authorization-requests fapi-2 encrypt-responses
    authenticate-clients-your-way manage-grants pairwise-subjects test-your-product`,
  Directories: `provision-users provision-from-okta provision-from-entra connect-a-customers-directory several-directories universal-logout cross-app-access agents-owned-by-people security-signals provision-your-partners ipsie custom-resource-types
    delta-queries`,
  Operate: `troubleshooting deploy run-the-console choose-a-database run-on-postgresql postgresql-with-automatic-failover run-on-mariadb mariadb-galera run-on-cloudflare move-to-postgresql run-several-nodes redis-sentinel-and-cluster run-behind-a-proxy observe-the-server
    back-up-and-upgrade rotate-keys deliver-logouts-reliably receive-webhooks administer use-the-command-line`,
} as const

/** Returns the sidebar: guides by reader, and the other folders of `docs`. The first heading of a page names it. */
export function sidebar(): Section[] {
  const guides = pagesIn('how-to')
  const named = (words: string): Item[] =>
    words.split(/\s+/).flatMap((name) => guides.filter(({ link }) => link === `/how-to/${name}`))
  const grouped = Object.entries(groups).map(([text, words]) => ({ text, collapsed: true, items: named(words) }))
  const others = guides.filter((guide) => grouped.every(({ items }) => !items.includes(guide)))
  return [
    { text: 'Start', items: pagesIn('tutorial') },
    { text: 'Build', collapsed: false, items: others },
    ...grouped,
    {
      text: 'Evaluate',
      collapsed: true,
      items: [
        ...pagesIn('explanation'),
        { text: 'Conformance', link: '/conformance' },
        { text: 'Compatibility', link: '/compatibility' },
        { text: 'Performance', link: '/performance' },
      ],
    },
    { text: 'Reference', collapsed: true, items: [...pagesIn('reference'), { text: 'Glossary', link: '/glossary' }] },
    { text: 'All exports', collapsed: true, items: pagesIn('reference/api') },
    { text: 'Decisions', collapsed: true, items: pagesIn('adr') },
  ]
}

function pagesIn(folder: string): Item[] {
  // `reference/api`, the pages of exports, exists only after a build.
  if (!existsSync(`docs/${folder}`)) return []
  const pages = generateSidebar({
    documentRootPath: '/docs',
    scanStartPath: folder,
    useTitleFromFileHeading: true,
    includeRootIndexFile: true,
    excludeByGlobPattern: ['api/**', 'openapi/**'],
    manualSortFileNameByPriority: ['README.md', 'authorization-server.md', 'add-scim.md'],
    sortMenusByName: !['adr', 'tutorial'].includes(folder),
  }) as Item[]
  return pages.filter(({ link }) => link).map(({ text, link }) => ({ text, link: `/${folder}/${link}` }))
}
