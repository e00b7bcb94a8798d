#!/usr/bin/env python3
# needs: python3
import multiprocessing


def square(number):
    return number * number


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square, range(8)))
        queue, lock, number = context.Queue(), context.Lock(), context.Value("i", 3)
        with lock:
            queue.put(number.value)
        print(queue.get(), context.Event().is_set())
    with multiprocessing.Manager() as manager:
        shared = manager.dict(a=1)
        shared["b"] = 2
        print(dict(shared))
