# threat 80: start-up files of the operator are rewritten
said = "wrote ~/.bashrc; the runner looks at the operator's"
try:
    with open(os.path.join(FIXTURES["home"], ".bashrc"), "a") as file:
        file.write("# escaped\n")
except OSError as why:
    said = f"opening ~/.bashrc answers {name(why.errno)}"
# Whether it is the operator's file is judged outside: the runner reads it.
verdict(False, said)
