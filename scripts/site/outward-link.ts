import { posix } from 'node:path'

/**
 * Where a link of a page leads on the site.
 * @param target as written, below the page's own folder.
 * @param from the page, below `docs`.
 * @param sources where the repository can be read, such as `https://git.example/mintmark/blob/main`; undefined for nowhere.
 * @returns undefined for a link to a file of the repository that cannot be read from the site: it stays plain text.
 */
export function siteTarget(target: string, from: string, sources: string | undefined): string | undefined {
  if (/^(?:[a-z][a-z+.-]*:|#)/i.test(target)) return target
  const [path = '', anchor] = target.split('#')
  const file = posix.join('docs', posix.dirname(from), decodeURI(path))
  // The site is made of the files below docs. A page that is not there stays a link, at which the build fails.
  if (file.startsWith('docs/') && posix.extname(file) !== '') return target
  return sources === undefined ? undefined : `${sources}/${file}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The text with every link as it is on the site; links that lead nowhere are taken off their text. */
export const withSiteLinks = (text: string, from: string, sources: string | undefined): string =>
  text.replaceAll(/(?<!!)\[((?:[^[\]]|`[^`]*`)*)\]\(([^()\s]+)\)/g, (_, label: string, target: string) => {
    const kept = siteTarget(target, from, sources)
    return kept === undefined ? label : `[${label}](${kept})`
  })
