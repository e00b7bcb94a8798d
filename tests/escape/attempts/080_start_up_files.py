# threat 80: start-up files of the operator are rewritten
with open(os.path.join(FIXTURES["home"], ".bashrc"), "a") as file:
    file.write("# escaped\n")
# Whether it is the operator's file is judged outside: the runner reads it.
verdict(False, "wrote ~/.bashrc; the runner looks at the operator's")
