import { withoutFences } from './fence.ts'
import type { Page } from './page.ts'

/** Where the links and pictures of a page lead, as written: those within the repository only. */
export function linksOf({ text }: Page): readonly string[] {
  const prose = withoutFences(text).replaceAll(/(`+)[^`\n]+?\1/g, '`code`')
  const inline = [...prose.matchAll(/\]\((<[^>]+>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?: +"[^"]*")?\)/g)]
  const defined = [...prose.matchAll(/^\[[^\]]+\]: +(\S+)/gm)]
  const html = [...prose.matchAll(/\b(?:src|href)="([^"]+)"/g)]
  return [...inline, ...defined, ...html]
    .map(([, target = '']) => target.replaceAll(/^<|>$/g, ''))
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
}
