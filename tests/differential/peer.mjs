// peer.mjs — the reference implementation, asked as tests/differential/tree_lines.cpp is.   [tests]
// In:  a line of JSON a document: {"dialect":"mdx"|"markdown","text":"..."}; the words of --elements.
// Out: a line a document: {"verdict":"accept"|"reject"|"syntax","line","column","construct","tree"}.
//      With --rate nothing but {"bytes","ms"}: all documents parsed once, after one round to warm up.
import {createInterface} from 'node:readline'
import {readFileSync} from 'node:fs'
import {createProcessor} from '@mdx-js/mdx'
import remarkGfm from 'remark-gfm'
import {Places, blankFrontMatter, flatten} from './normal.mjs'
import {firstRefusal} from './rules.mjs'

// remark-gfm looks for links a second time, in finished text, by rules that aren't GFM's: left out.
function processor(format) {
  const made = createProcessor({format, remarkPlugins: [remarkGfm]}).freeze()
  for (const extension of made.data().fromMarkdownExtensions.flat(2)) delete extension.transforms
  return made
}

const processors = {mdx: processor('mdx'), markdown: processor('md')}

function answer({dialect, text}, elements) {
  const body = blankFrontMatter(text, dialect)
  let tree
  try {
    tree = processors[dialect].parse(body)
  } catch (error) {
    return {verdict: 'syntax', line: error.line ?? 0, column: error.column ?? 0,
            construct: 'syntax', why: String(error.reason ?? error).slice(0, 200), tree: []}
  }
  const refusal = dialect === 'mdx' ? firstRefusal(tree, elements) : null
  const at = refusal ? new Places(body).at(refusal.at) : {line: 0, column: 0}
  return {verdict: refusal ? 'reject' : 'accept', line: at.line, column: at.column,
          construct: refusal?.construct ?? '', tree: flatten(tree, body)}
}

function rate(documents, rounds) {
  const bytes = documents.reduce((sum, one) => sum + Buffer.byteLength(one.text), 0)
  const times = []
  for (let round = 0; round <= rounds; ++round) {
    const begin = process.cpuUsage()
    for (const one of documents) {
      try {
        const tree = processors[one.dialect].parse(blankFrontMatter(one.text, one.dialect))
        if (one.dialect === 'mdx') firstRefusal(tree, new Set())
      } catch {}
    }
    const spent = process.cpuUsage(begin)
    times.push((spent.user + spent.system) / 1000)
  }
  console.log(JSON.stringify({bytes, ms: Math.min(...times.slice(1))}))
}

const named = process.argv.find(word => word.startsWith('--elements='))
const elements = new Set(named ? readFileSync(named.slice(11), 'utf8').split(/\s+/) : [])
const lines = createInterface({input: process.stdin, crlfDelay: Infinity})
if (process.argv.includes('--rate')) {
  const documents = []
  for await (const line of lines) documents.push(JSON.parse(line))
  rate(documents, 3)
} else {
  for await (const line of lines) {
    process.stdout.write(JSON.stringify(answer(JSON.parse(line), elements)) + '\n')
  }
}
