import { withMermaid } from 'vitepress-plugin-mermaid'

const pages = new Set(process.env.PAGES.split('\n'))

/** The page that a link means, as a link from this site's root; undefined if it means a file that is not a page. */
function target(href, from) {
  if (/^(https?:|#)/.test(href)) return href
  const url = new URL(href, `file:///${from}`)
  if (!pages.has(url.pathname.slice(1))) return undefined
  return (url.pathname === '/README.md' ? '/index.md' : url.pathname) + url.hash
}

/** Links between pages stay; one to a file of the sources has no target here, so its text stands alone. */
function linksToPages(markdown) {
  markdown.core.ruler.push('links-to-pages', (state) => {
    for (const block of state.tokens) {
      let isDropped = false
      for (const token of block.children ?? []) {
        if (token.type === 'link_open') {
          const href = target(token.attrGet('href'), state.env.relativePath)
          isDropped = href === undefined
          if (!isDropped) token.attrSet('href', href)
        }
        if (isDropped && token.type.startsWith('link_')) token.type = 'dropped'
      }
    }
  })
  markdown.renderer.rules.dropped = () => ''
}

/** The anchors of headings that the links in the Markdown files use. */
const slugify = (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')

const page = (text, link) => ({ text, link })

export default withMermaid({
  title: 'Holdfast',
  description: 'A distributed lock for Java on Redis and SQL',
  outDir: process.env.OUT,
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  lastUpdated: false,
  markdown: { config: linksToPages, anchor: { slugify }, languageAlias: { cron: 'sh' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      { text: 'First steps', items: [
        page('Holdfast', '/'),
        page('Holdfast（简体中文）', '/README.zh-CN'),
        { text: 'From zero to a lock', items: [
          page('In Java', '/docs/start/java'),
          page('In Spring Boot', '/docs/start/spring-boot'),
          page('In Kotlin', '/docs/start/kotlin'),
          page('On the command line', '/docs/start/command-line') ] },
        page('Java', '/docs/java'),
        page('Kotlin', '/docs/kotlin'),
        page('Reactor', '/docs/reactor'),
        page('Spring', '/docs/spring'),
        page('Command line', '/docs/command-line'),
        page('Configuration', '/docs/configuration') ] },
      { text: 'Stores', items: [
        page('PostgreSQL', '/docs/stores/postgresql'),
        page('MariaDB and MySQL', '/docs/stores/mariadb'),
        page('Redis', '/docs/stores/redis'),
        page('Redis and a database', '/docs/stores/composite'),
        page('H2', '/docs/stores/h2'),
        page('SQLite', '/docs/stores/sqlite'),
        page('Compatibility', '/docs/compatibility') ] },
      { text: 'In production', items: [
        page('Operations', '/docs/operations'),
        page('Fencing', '/docs/fencing'),
        page('Benchmarks', '/docs/benchmarks'),
        page('Security', '/SECURITY') ] },
      { text: 'From other locks', items: [
        page('Migrating', '/docs/migrating'),
        page('Redisson in Spring', '/docs/spring/from-redisson'),
        page('ShedLock', '/docs/spring/from-shedlock'),
        page('LockRegistry', '/docs/spring/from-lock-registry'),
        page('An aspect of your own', '/docs/spring/from-your-own-aspect') ] },
      { text: 'Stores of your own', items: [
        page('Writing a store', '/docs/writing-a-store'),
        page('Writing a dialect', '/docs/writing-a-dialect'),
        page('The conformance kit', '/lock-tck/README'),
        page('Conformance', '/docs/conformance') ] },
      { text: 'Inside', items: [
        page('Architecture', '/ARCHITECTURE'),
        page('The failover protocol', '/lock-composite/PROTOCOL'),
        page('Contributing', '/CONTRIBUTING'),
        page('Changelog', '/CHANGELOG') ] },
    ],
  },
})
