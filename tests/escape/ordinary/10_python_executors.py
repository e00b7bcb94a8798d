#!/usr/bin/env python3
# needs: python3
import concurrent.futures
import os
from multiprocessing import shared_memory


def work(number):
    return os.getppid() != 0, sum(range(number))


if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2) as processes:
        print(list(processes.map(work, [10, 100, 1000])))
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        print(sorted(threads.map(lambda n: n * 2, range(10))))
    memory = shared_memory.SharedMemory(create=True, size=64)
    memory.buf[:2] = b"hi"
    other = shared_memory.SharedMemory(name=memory.name)
    print(bytes(other.buf[:2]))
    other.close()
    memory.close()
    memory.unlink()
