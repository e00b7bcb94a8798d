#!/usr/bin/env node
// needs: node
const { execFileSync, fork } = require('child_process');
const fs = require('fs');
const http = require('http');
const os = require('os');
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (process.argv[2] === 'child') {
  process.send('from the child');
  process.disconnect();
} else if (!isMainThread) {
  parentPort.postMessage(6 * 7);
} else {
  console.log(execFileSync('echo', ['hi']).toString(), os.cpus().length > 0, os.userInfo().username);
  fs.writeFileSync('a.json', JSON.stringify({ a: [1, 2] }));
  fs.mkdtempSync(os.tmpdir() + '/n-');
  const server = http.createServer((_, answer) => answer.end('served')).listen(0, '127.0.0.1', () => {
    http.get({ port: server.address().port, host: '127.0.0.1' }, (got) => {
      got.on('data', (data) => console.log(data.toString()));
      got.on('end', () => {
        server.close();
        new Worker(__filename).on('message', (m) => {
          console.log(m);
          fork(__filename, ['child']).on('message', (n) => console.log(n));
        });
      });
    });
  });
}
